/**
 * Options of the network maker: nodes, keys and files of a network. Names and defaults are those of the Go node's homi
 * (`cmd/homi/setup/flags.go@v2.2.2`).
 */
import { choice, integerKind, path, port, textKind } from "../options/kinds.ts";
import { optionGroup, type ValuesOf } from "../options/rows.ts";
import { DEFAULT_PEER_PORT } from "../p2p/options.ts";
import { httpOptions, wsOptions } from "../transport/options.ts";

const size = optionGroup("Network maker", ["genesis"]);

const count = integerKind(0, 1_000);

/** Rows of the number of nodes of each type, of validators among the core nodes, and of test accounts. */
export const sizeOptions = {
  core: size({
    flag: "cn-num",
    kind: count,
    default: 1,
    summary: "number of core nodes",
    aliases: ["topology.cn-num"],
    differs: "1 by default, not 0",
  }),
  validators: size({
    flag: "validators-num",
    kind: count,
    summary: "number of core nodes that are validators; all by default",
    aliases: ["topology.validators-num"],
  }),
  proxy: size({
    flag: "pn-num",
    kind: count,
    default: 0,
    summary: "number of proxy nodes",
    aliases: ["topology.pn-num"],
  }),
  endpoint: size({
    flag: "en-num",
    kind: count,
    default: 0,
    summary: "number of endpoint nodes",
    aliases: ["topology.en-num"],
  }),
  testAccounts: size({
    flag: "test-num",
    kind: count,
    default: 0,
    summary: "number of funded test accounts",
    aliases: ["topology.test-num"],
  }),
};

/** Rows of the keys of nodes: directories with one file per key, or a mnemonic. */
export const keyOptions = {
  cn: size({
    flag: "cn-nodekey-dir",
    kind: path,
    summary: "directory with the node keys of core nodes, one file per key",
  }),
  pn: size({ flag: "pn-nodekey-dir", kind: path, summary: "directory with the node keys of proxy nodes" }),
  en: size({ flag: "en-nodekey-dir", kind: path, summary: "directory with the node keys of endpoint nodes" }),
  mnemonic: size({
    flag: "mnemonic",
    kind: textKind,
    summary: "mnemonic of the core nodes' keys, words separated by spaces or commas",
  }),
  mnemonicPath: size({
    flag: "mnemonic-path",
    kind: textKind,
    default: "eth",
    summary: "derivation path: eth, klay, or a path without the key's index",
  }),
};

/** Rows of the files of a network: their platform, directory, names and first ports. */
export const outputOptions = {
  platform: size({
    flag: "gen-type",
    kind: choice(["local", "remote", "compose", "docker", "kubernetes"]),
    summary: "platform of the network, as the command's argument",
    differs:
      "local by default, not docker; kubernetes in addition, and no deploy, which is specific to one site",
  }),
  directory: size({
    flag: "output",
    kind: path,
    default: "knit-network",
    summary: "output directory; it must be empty or absent",
    differs: "`knit-network` by default; knit overwrites no file in it",
  }),
  networkName: size({
    flag: "network-name",
    kind: textKind,
    default: "knit",
    summary: "name of the network on Kubernetes",
    own: true,
  }),
  peers: size({
    flag: "p2p-port",
    kind: port,
    default: DEFAULT_PEER_PORT,
    summary: "first port for peers",
    aliases: ["deploy.p2p-port"],
  }),
  http: size({
    flag: "rpc-port",
    kind: port,
    default: httpOptions.port.default,
    summary: "first HTTP port; ports are two apart",
    aliases: ["deploy.rpc-port"],
  }),
  ws: size({
    flag: "ws-port",
    kind: port,
    default: wsOptions.port.default,
    summary: "first WebSocket port; ports are two apart",
    aliases: ["deploy.ws-port"],
  }),
  image: size({
    flag: "docker-image-id",
    kind: textKind,
    default: "knit:0.1.0",
    summary: "image in the compose file",
    aliases: ["deploy.docker.image-id"],
    differs: "an image of knit by default",
  }),
};

/** Files of a network. */
export type OutputOptions = ValuesOf<typeof outputOptions>;

/** Number of nodes of each type, of validators among the core nodes, and of test accounts. */
export interface NetworkSize extends ValuesOf<typeof sizeOptions> {
  readonly validators: number;
}
