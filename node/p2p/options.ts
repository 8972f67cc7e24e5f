/** Options of the network: the node in it, its peers, and boot nodes. */
import {
  addressKind,
  addressSource,
  booleanKind,
  integerKind,
  list,
  listenAddress,
  networks,
  path,
  port,
  secret,
  textKind,
} from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

/** Port of a node for peers, and of a boot node. */
export const DEFAULT_PEER_PORT = 32_323;
/** Maximum number of concurrent handshakes. */
export const DEFAULT_PENDING_PEERS = 50;

const node = optionGroup("Base", NODE);
const identity = optionGroup("Base", [...NODE, "bootnode"]);
const network = optionGroup("Network", NODE);
const discovery = optionGroup("Network", [...NODE, "bootnode"]);
const bootnode = optionGroup("Network", ["bootnode"]);

/** Rows of the name of a node and its network. */
export const identityOptions = {
  identity: node({
    flag: "identity",
    kind: textKind,
    default: "",
    summary: "custom part of the node's name",
    aliases: ["common.identity"],
  }),
  networkId: identity({
    flag: "networkid",
    kind: integerKind(1),
    summary: "network id; the chain id by default",
    aliases: ["p2p.network-id"],
    properties: ["NETWORK_ID"],
    differs: "the chain id by default, not 8217",
  }),
};

/** Rows of the private key of a node: the key itself, or its file. */
export const nodeKeyOptions = {
  file: identity({
    flag: "nodekey",
    kind: path,
    summary: "file with the node's private key",
    aliases: ["p2p.node-key"],
    properties: ["KEY_PATH"],
  }),
  key: identity({
    flag: "nodekeyhex",
    kind: secret,
    summary: "the node's private key in hex; visible to other users in the process list",
    aliases: ["p2p.node-key-hex"],
  }),
};

/** Private key of a node: the key itself, or its file as written. */
export type NodeKeyOptions = ValuesOf<typeof nodeKeyOptions>;

/** Rows of the address that the private key of a node must have. */
export const nodeAddressOptions = {
  nodeAddress: node({
    flag: "nodekey.address",
    kind: addressKind,
    summary: "address of the node key: with another key the node does not start, and it creates none",
    own: true,
  }),
};

/** Rows of the peers of a node. */
export const peerOptions = {
  port: network({
    flag: "port",
    kind: port,
    summary: `port for peers, ${DEFAULT_PEER_PORT} by default; 0 for a free port`,
    aliases: ["p2p.port"],
  }),
  isMultichannel: network({
    flag: "multichannel",
    kind: booleanKind,
    default: false,
    summary: "use a separate connection for transactions with peers that support it",
    aliases: ["p2p.multi-channel"],
  }),
  subPort: network({
    flag: "subport",
    kind: port,
    default: 32_324,
    summary: "port of the separate connection; 0 for a free port",
    aliases: ["p2p.sub-port"],
  }),
  maxPeers: network({
    flag: "maxconnections",
    kind: integerKind(0),
    default: 10,
    summary: "maximum number of peers",
    aliases: ["p2p.max-connections"],
  }),
  maxPendingPeers: network({
    flag: "maxpendpeers",
    kind: integerKind(0),
    default: 0,
    summary: `maximum number of concurrent handshakes; 0 for ${DEFAULT_PENDING_PEERS}`,
    aliases: ["p2p.max-pend-peers"],
  }),
  isHidden: network({
    flag: "nodiscover",
    kind: booleanKind,
    default: false,
    summary: "disable node discovery",
    aliases: ["p2p.no-discover"],
    properties: ["NO_DISCOVER"],
  }),
  staticNodesFile: network({
    flag: "p2p.static-nodes-file",
    kind: path,
    summary: "file with the static nodes; <datadir>/knit/static-nodes.json by default",
    own: true,
  }),
};

/** Peers of a node. */
export type PeerOptions = ValuesOf<typeof peerOptions>;

/** Rows of node discovery, of nodes and boot nodes. */
export const discoveryOptions = {
  bootNodes: discovery({
    flag: "bootnodes",
    kind: list,
    default: [],
    summary: "comma-separated node URLs of boot nodes",
    aliases: ["p2p.bootnodes"],
  }),
  netRestrict: discovery({
    flag: "netrestrict",
    kind: networks,
    summary: "restrict peers to these networks (CIDR); no restriction by default",
    aliases: ["p2p.net-restrict"],
  }),
  externalAddress: discovery({
    flag: "nat",
    kind: addressSource,
    default: "none",
    summary: "external address of the node",
    aliases: ["p2p.nat"],
    differs:
      "`none` by default, not `any`; knit asks no router to open a port; a node that serves others sets its address",
  }),
};

/** Node discovery, of nodes and boot nodes. */
export type DiscoveryOptions = ValuesOf<typeof discoveryOptions>;

/** Rows of a boot node. */
export const bootOptions = {
  listen: bootnode({
    flag: "bnaddr",
    kind: listenAddress,
    summary: `UDP address to listen on; :${DEFAULT_PEER_PORT} by default`,
    aliases: ["p2p.bn-addr"],
  }),
  authorizedNodes: bootnode({
    flag: "authorized-nodes",
    kind: list,
    default: [],
    summary: "node URLs; of each type listed, except en, only the listed nodes are accepted",
    aliases: ["common.authorized-nodes"],
  }),
  newKeyFile: bootnode({
    flag: "genkey",
    kind: path,
    summary: "write a new node key to this file and exit",
    aliases: ["common.gen-key-path"],
    differs: "does not overwrite a file",
  }),
  printsId: bootnode({
    flag: "writeaddress",
    kind: booleanKind,
    default: false,
    summary: "print the node id of the node key and exit",
    aliases: ["common.write-address"],
  }),
};
