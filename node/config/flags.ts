/**
 * The flag table: one row for each flag. The command line, the environment, the settings file, help, completion and
 * docs/flags.md are read from it. Names, aliases and defaults are those of the Klaytn and Kaia Go nodes
 * (`cmd/utils/flags.go@v2.2.2`), so that their scripts and settings files work.
 */
import { genesisFlags, networkFlags } from "./flags-genesis.ts";
import {
  account,
  accounts,
  addressSource,
  amount,
  booleanKind,
  byteSize,
  choice,
  duration,
  integerKind,
  type Kind,
  list,
  listenAddress,
  networks,
  path,
  port,
  secret,
  shortText,
  textKind,
} from "./flags-kinds.ts";
import { ACCOUNT, BLS_WRITING, DATA, type FlagCommand, KEY_WRITING, NODE, rows } from "./flags-rows.ts";
import { rpcFlags } from "./flags-rpc.ts";

const dev = rows("Development chain", ["dev"]);
const file = rows("Chain file", ["export"]);
const decoding = rows("Decoding", ["decode"]);
const publicNetworks = rows("Public networks", ["run", "console", "config", "dumpgenesis", "genesis"]);
const calling = rows("Calling a node", ["rpc", "save-cache"]);
const printing = rows("Calling a node", ["rpc"]);
const scripts = rows("Console", ["attach", "console"]);
const place = rows("Base", [...DATA, ...ACCOUNT, "rpc", "save-cache", "attach", "wallet"]);
const settings = rows("Base", [
  ...DATA,
  ...ACCOUNT,
  "rpc",
  "save-cache",
  "attach",
  "wallet",
  "bootnode",
  "genesis",
]);
const keyStore = rows("Base", [...DATA, ...ACCOUNT, "wallet"]);
const base = rows("Base", DATA);
const node = rows("Base", NODE);
const identity = rows("Base", [...NODE, "bootnode"]);
const blsIdentity = rows("Base", [...NODE, "account-bls-import"]);
const keyForm = rows("Base", [...NODE, ...KEY_WRITING, ...BLS_WRITING, "wallet", "genesis"]);
const keyVersion = rows("Base", [...NODE, ...KEY_WRITING]);
const network = rows("Network", NODE);
const discovery = rows("Network", [...NODE, "bootnode"]);
const bootnode = rows("Network", ["bootnode"]);
const keys = rows("Accounts", NODE);
const keyExport = rows("Accounts", ["account-export"]);
const blsKeyExport = rows("Accounts", ["account-bls-export"]);
const passphrases = rows("Accounts", [
  ...NODE,
  ...KEY_WRITING,
  ...BLS_WRITING,
  "account-export",
  "account-bls-export",
  "wallet",
]);
const pool = rows("Transaction pool", NODE);
const state = rows("State and database", NODE);
const data = rows("State and database", DATA);
const consensus = rows("Consensus", NODE);
const metrics = rows("Metrics", NODE);
const log = rows("Log", [...DATA, "bootnode"]);
const logFile = rows("Log", NODE);

/** All flags by name. */
export const flags = {
  accounts: dev.flag(integerKind(0, 1_000), 10, "number of funded accounts"),
  balance: dev.flag(amount, 1_000_000n, "balance of each funded account, in KLAY"),

  first: file.maybe(integerKind(0), "first block to export; 0 by default"),
  last: file.maybe(integerKind(0), "last block to export; the newest by default"),

  "decode.type": decoding.maybe(textKind, "type of the input; detected by default and reported on stderr"),

  mainnet: publicNetworks.flag(
    booleanKind,
    false,
    "use the main network",
    "cypress",
    "p2p.mainnet",
    "p2p.cypress",
  ),
  kairos: publicNetworks.flag(
    booleanKind,
    false,
    "use the test network Kairos (Baobab)",
    "baobab",
    "p2p.kairos",
    "p2p.baobab",
  ),

  endpoint: calling.maybe(
    textKind,
    "URL (http, https, ws, wss) or IPC socket of the node; the socket in the data directory by default",
  ),
  raw: printing.flag(booleanKind, false, "print the result unformatted, on one line"),
  timeout: calling.flag(duration, 60_000, "time to wait for the response"),

  exec: scripts.maybe(textKind, "execute a JavaScript statement and print its result", "console.exec"),
  preload: scripts.flag(
    list,
    [],
    "comma-separated list of JavaScript files to load into the console",
    "console.preload",
  ),
  jspath: scripts.flag(path, ".", "root directory of JavaScript files", "console.js-path"),

  conf: settings.maybe(path, "settings file: YAML, or properties such as RPC_ENABLE=1", "homi-yaml", "yaml"),
  properties: settings.maybe(path, "settings file with properties, as read by the Go node's daemon"),
  type: place.flag(choice(["core", "proxy", "endpoint"]), "endpoint", "type of the node"),
  datadir: place.maybe(path, "data directory; the default depends on the type", "common.datadir"),
  chaindatadir: base.maybe(path, "separate directory for the chain database", "common.chaindatadir"),
  keystore: keyStore.maybe(
    path,
    "directory of the keystore; <datadir>/keystore by default",
    "common.keystore",
  ),
  identity: node.flag(textKind, "", "custom part of the node's name", "common.identity"),
  networkid: identity.maybe(integerKind(1), "network id; the chain id by default", "p2p.network-id"),
  "max-memory": node.maybe(
    byteSize,
    "memory limit, such as 512MiB; the container's limit by default, 0 for none",
  ),

  lightkdf: keyForm.flag(
    booleanKind,
    false,
    "use less CPU and memory for the encryption of key files, at some cost in strength",
    "common.light-kdf",
  ),
  v3: keyVersion.flag(booleanKind, false, "write key files of version 3, which hold a single key"),
  nodekey: identity.maybe(path, "file with the node's private key", "p2p.node-key"),
  nodekeyhex: identity.maybe(
    secret,
    "the node's private key in hex; visible to other users in the process list",
    "p2p.node-key-hex",
  ),
  "bls-nodekey": blsIdentity.maybe(
    path,
    "file with the node's BLS key; derived from the node key by default",
    "p2p.bls-node-key",
  ),
  "bls-nodekeyhex": blsIdentity.maybe(
    secret,
    "the node's BLS key in hex; visible to other users in the process list",
    "p2p.bls-node-key-hex",
  ),

  port: network.maybe(port, "port for peers, 32323 by default; 0 for a free port", "p2p.port"),
  multichannel: network.flag(
    booleanKind,
    false,
    "use a separate connection for transactions with peers that support it",
    "p2p.multi-channel",
  ),
  subport: network.flag(port, 32_324, "port of the separate connection; 0 for a free port", "p2p.sub-port"),
  maxconnections: network.flag(integerKind(0), 10, "maximum number of peers", "p2p.max-connections"),
  maxpendpeers: network.flag(
    integerKind(0),
    0,
    "maximum number of concurrent handshakes; 0 for 50",
    "p2p.max-pend-peers",
  ),
  nodiscover: network.flag(booleanKind, false, "disable node discovery", "p2p.no-discover"),
  "p2p.static-nodes-file": network.maybe(
    path,
    "file with the static nodes; <datadir>/knit/static-nodes.json by default",
  ),
  bootnodes: discovery.flag(list, [], "comma-separated node URLs of boot nodes", "p2p.bootnodes"),
  netrestrict: discovery.maybe(
    networks,
    "restrict peers to these networks (CIDR); no restriction by default",
    "p2p.net-restrict",
  ),
  nat: discovery.flag(addressSource, "none", "external address of the node", "p2p.nat"),
  bnaddr: bootnode.maybe(listenAddress, "UDP address to listen on; :32323 by default", "p2p.bn-addr"),
  "authorized-nodes": bootnode.flag(
    list,
    [],
    "node URLs; of each type listed, except en, only the listed nodes are accepted",
    "common.authorized-nodes",
  ),
  genkey: bootnode.maybe(path, "write a new node key to this file and exit", "common.gen-key-path"),
  writeaddress: bootnode.flag(
    booleanKind,
    false,
    "print the node id of the node key and exit",
    "common.write-address",
  ),

  ...networkFlags,
  ...genesisFlags,
  ...rpcFlags,

  unlock: keys.flag(
    accounts,
    [],
    "accounts to unlock at start, by address or index",
    "account-update.unlock",
  ),
  nodekeystore: keyExport.maybe(path, "key file to export the node key from", "p2p.node-keystore"),
  "bls-nodekeystore": blsKeyExport.maybe(
    path,
    "key file (EIP-2335) to export the BLS key from",
    "p2p.bls-node-keystore",
  ),
  password: passphrases.maybe(
    path,
    "file with the passphrases of key files, one per line",
    "account-update.password",
  ),

  "txpool.nolocals": pool.flag(booleanKind, false, "give locally submitted transactions no privileges"),
  "txpool.keeplocals": pool.flag(
    booleanKind,
    false,
    "never evict queued transactions that were submitted locally",
  ),
  "txpool.allow-local-anchortx": pool.flag(
    booleanKind,
    false,
    "accept locally submitted anchoring transactions",
  ),
  "txpool.deny.remotetx": pool.flag(
    booleanKind,
    false,
    "reject transactions from peers",
    "txpool.deny-remote-tx",
  ),
  "txpool.spamthrottler.disable": pool.flag(
    booleanKind,
    false,
    "disable a proxy's limit on transactions to addresses where most fail",
  ),
  "txpool.journal": pool.flag(
    path,
    "transactions.rlp",
    "journal of locally submitted transactions; empty for none",
  ),
  "txpool.journal-interval": pool.flag(duration, 3_600_000, "interval between rewrites of the journal"),
  "txpool.exec-slots.account": pool.flag(
    integerKind(1),
    16,
    "number of executable transactions guaranteed to each account",
  ),
  "txpool.exec-slots.all": pool.flag(
    integerKind(1),
    4_096,
    "maximum number of executable transactions of all accounts",
  ),
  "txpool.nonexec-slots.account": pool.flag(
    integerKind(1),
    64,
    "maximum number of non-executable transactions of each account",
  ),
  "txpool.nonexec-slots.all": pool.flag(
    integerKind(1),
    1_024,
    "maximum number of non-executable transactions of all accounts",
  ),
  "txresend.interval": pool.flag(
    integerKind(1, 3_600),
    4,
    "seconds between resends of pending transactions to peers",
  ),
  "txpool.lifetime": pool.flag(
    duration,
    300_000,
    "maximum time that non-executable transactions stay queued",
  ),

  gcmode: data.maybe(
    choice(["full", "archive"]),
    "archive keeps all states, full only recent ones; unchanged by default",
    "common.garbage-collection-mode",
  ),
  "state.live-pruning": data.flag(
    booleanKind,
    false,
    "delete states older than 172,800 blocks; excludes state migration",
  ),
  "state.live-pruning-retention": data.maybe(
    integerKind(1),
    "number of recent blocks with state; unchanged by default, 128 in a new database",
  ),
  "history.blocks": state.flag(
    integerKind(0),
    0,
    "number of recent blocks whose bodies and receipts are kept; 0 for all",
  ),
  sendertxhashindexing: data.flag(
    booleanKind,
    false,
    "index fee-delegated transactions by their sender transaction hash",
    "common.sender-tx-hash-indexing",
  ),
  "state.preimages": data.flag(
    booleanKind,
    true,
    "store the preimages of state keys, which listings of accounts and slots need",
  ),
  "state.block-interval": state.flag(integerKind(1), 16, "number of blocks between writes of the state trie"),
  "state.trie-cache-limit": state.flag(
    integerKind(-1),
    -1,
    "size of the trie node cache in MiB; -1 for automatic, 0 for none",
  ),
  "state.trie-cache-save-period": state.flag(
    duration,
    0,
    "interval between saves of the trie node cache; 0 for on request",
  ),
  "db.leveldb.cache-size": data.flag(integerKind(1), 16, "size of the LevelDB block cache in MiB"),

  "db.min-free": state.flag(
    integerKind(0),
    128,
    "free disk space in MiB required for writing blocks or exports",
  ),

  rewardbase: consensus.maybe(account, "account that receives the block rewards", "common.rewardbase"),
  "block-generation-interval": consensus.flag(
    integerKind(1),
    1,
    "interval between blocks in seconds",
    "experimental.block-generation-interval",
  ),
  "block-generation-time-limit": consensus.flag(
    duration,
    250,
    "time limit for executing the transactions of a new block",
    "experimental.block-generation-time-limit",
  ),
  "consensus.doppelganger": consensus.flag(
    choice(["on", "off"]),
    "on",
    "stop signing for good when another node signs with this node's key",
  ),
  "consensus.doppelganger-listen": consensus.flag(
    duration,
    30_000,
    "time to listen for another node with this key before the first signature",
  ),
  "consensus.doppelganger-clear": consensus.maybe(
    textKind,
    "id of a found signature, as logged: sign again, now that its node is stopped",
  ),
  "consensus.min-height": consensus.flag(
    integerKind(0),
    0,
    "number of a block that this validator's chain must have before it signs",
  ),
  extradata: consensus.maybe(
    shortText(31), // the last of 32 bytes is the round
    "extra data of new blocks; knit's version by default",
    "common.block-extra-data",
  ),

  metrics: metrics.flag(booleanKind, false, "collect metrics", "metrics-collection-reporting.enable"),
  prometheus: metrics.flag(
    booleanKind,
    false,
    "export metrics to Prometheus",
    "metrics-collection-reporting.prometheus",
  ),
  prometheusport: metrics.flag(
    port,
    61_001,
    "port of the Prometheus exporter",
    "metrics-collection-reporting.prometheus-port",
  ),

  verbosity: log.flag(
    integerKind(0, 5),
    3,
    "0 silent, 1 error, 2 warn, 3 info, 4 and 5 debug",
    "debug-profile.verbosity",
  ),
  "log.format": log.flag(choice(["terminal", "logfmt", "json"]), "terminal", "format of log lines"),
  "log.file": logFile.maybe(path, "write the log to this file, too"),
  "log.rotate": logFile.flag(booleanKind, false, "rotate the log file"),
  "log.maxsize": logFile.flag(integerKind(1), 100, "size in MiB at which the log file is rotated"),
  "log.maxbackups": logFile.flag(integerKind(0), 10, "maximum number of rotated log files; 0 for all"),
  "log.maxage": logFile.flag(integerKind(0), 30, "days until a rotated log file is deleted; 0 for never"),
  "log.compress": logFile.flag(booleanKind, false, "compress rotated log files with gzip"),
};

/** Name of a flag. */
export type FlagName = keyof typeof flags;

/** Values of the flags after defaults, settings file, environment and command line. */
export type FlagValues = {
  readonly [Name in FlagName]: (typeof flags)[Name] extends { kind: Kind<infer T>; fallback: infer F }
    ? undefined extends F
      ? T | undefined
      : T
    : never;
};

/** Defaults of `knit dev`: it serves all modules that are safe on loopback. */
export const developmentDefaults: Partial<FlagValues> = {
  type: "core",
  rpc: true,
  ws: true,
  rpcapi: ["chain", "debug", "eth", "net", "personal", "rpc", "txpool", "web3"],
  wsapi: ["chain", "debug", "eth", "net", "personal", "rpc", "txpool", "web3"],
  metrics: true,
  prometheus: true,
  lightkdf: true,
};

/** Flags that one command accepts under a name that belongs to another flag elsewhere. */
export const spellings: readonly {
  readonly command: FlagCommand;
  readonly typed: string;
  readonly flag: FlagName;
}[] = [{ command: "decode", typed: "type", flag: "decode.type" }];

/** Finds a flag by its name or an alias. */
export function findFlag(name: string): FlagName | undefined {
  return byName.get(name);
}

/** Names of the flags in table order. */
export const flagNames = Object.keys(flags) as readonly FlagName[]; // the keys of the table above

const byName = new Map(
  flagNames.flatMap((name) => [name, ...flags[name].aliases].map((each) => [each, name])),
);
