/**
 * The flag table: every flag is one row. The command line, the environment, the settings file, help and
 * completion are all read from it. Names, aliases and defaults are the Klaytn and Kaia Go node's, so its
 * scripts and settings files fit.
 */
import { consensusFlags } from "./flags-consensus.ts";
import { genesisFlags, networkFlags } from "./flags-genesis.ts";
import { accountFlags, keyFlags } from "./flags-keys.ts";
import {
  addressSource,
  amount,
  boolean,
  byteSize,
  choice,
  duration,
  integer,
  type Kind,
  list,
  listenAddress,
  networks,
  path,
  port,
  text,
} from "./flags-kinds.ts";
import { logFileFlags } from "./flags-log.ts";
import { ACCOUNT, DATA, type FlagCommand, NODE, rows } from "./flags-rows.ts";
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
const network = rows("Network", NODE);
const meeting = rows("Network", [...NODE, "bootnode"]);
const bootnode = rows("Network", ["bootnode"]);
const pool = rows("Transaction pool", NODE);
const state = rows("State and database", NODE);
const data = rows("State and database", DATA);
const metrics = rows("Metrics", NODE);
const log = rows("Log", [...DATA, "bootnode"]);

/** All flags by name. */
export const flags = {
  accounts: dev.flag(integer(0, 1_000), 10, "how many funded accounts to make"),
  balance: dev.flag(amount, 1_000_000n, "what each of them owns, in KLAY"),

  first: file.maybe(integer(0), "the first block to write; 0 when not given"),
  last: file.maybe(integer(0), "the last block to write; the newest when not given"),

  "decode.type": decoding.maybe(text, "what the bytes are; guessed when not given, and said on stderr"),

  mainnet: publicNetworks.flag(boolean, false, "the main network", "cypress", "p2p.mainnet", "p2p.cypress"),
  kairos: publicNetworks.flag(
    boolean,
    false,
    "the test network Kairos (Baobab)",
    "baobab",
    "p2p.kairos",
    "p2p.baobab",
  ),

  endpoint: calling.maybe(text, "its URL (http, https, ws, wss) or socket; the data directory's by default"),
  raw: printing.flag(boolean, false, "print the result as it came, on one line"),
  timeout: calling.flag(duration, 60_000, "how long to wait for it"),

  exec: scripts.maybe(text, "a statement to run; its result is printed", "console.exec"),
  preload: scripts.flag(list, [], "scripts to run first, between commas", "console.preload"),
  jspath: scripts.flag(path, ".", "where scripts are looked for", "console.js-path"),

  conf: settings.maybe(
    path,
    "a file with settings: YAML, or lines such as RPC_ENABLE=1",
    "homi-yaml",
    "yaml",
  ),
  properties: settings.maybe(path, "such lines alone, as the Go node's daemon reads them"),
  type: place.flag(choice(["core", "proxy", "endpoint"]), "endpoint", "what the node is in its network"),
  datadir: place.maybe(path, "where everything is kept; the default follows the type", "common.datadir"),
  chaindatadir: base.maybe(path, "another place for the chain's database", "common.chaindatadir"),
  keystore: keyStore.maybe(path, "where key files are; <datadir>/keystore by default", "common.keystore"),
  identity: node.flag(text, "", "a name that the node adds to its own", "common.identity"),
  networkid: identity.maybe(integer(1), "the network's number; the chain's id by default", "p2p.network-id"),
  "max-memory": node.maybe(
    byteSize,
    "the most memory to take, such as 512MiB; a container's limit by default, 0 is no limit",
  ),
  ...keyFlags,

  port: network.maybe(port, "port for peers, 32323 by default; 0 takes a free one", "p2p.port"),
  multichannel: network.flag(
    boolean,
    false,
    "a connection of their own for transactions, to peers that have it too",
    "p2p.multi-channel",
  ),
  subport: network.flag(port, 32_324, "port for it; 0 takes a free one", "p2p.sub-port"),
  maxconnections: network.flag(integer(0), 10, "peers at a time", "p2p.max-connections"),
  maxpendpeers: network.flag(integer(0), 0, "handshakes at a time; 0 is 50", "p2p.max-pend-peers"),
  nodiscover: network.flag(boolean, false, "find no other nodes, and be found by none", "p2p.no-discover"),
  bootnodes: meeting.flag(list, [], "node URLs to find other nodes from", "p2p.bootnodes"),
  netrestrict: meeting.maybe(networks, "networks to have to do with; all by default", "p2p.net-restrict"),
  nat: meeting.flag(addressSource, "none", "the address that others know this node by", "p2p.nat"),
  bnaddr: bootnode.maybe(listenAddress, "where to listen for nodes; :32323 by default", "p2p.bn-addr"),
  "authorized-nodes": bootnode.flag(
    list,
    [],
    "node URLs; a type that is listed, but en, is believed of those alone",
    "common.authorized-nodes",
  ),
  genkey: bootnode.maybe(path, "writes a new node key to this file, and ends", "common.gen-key-path"),
  writeaddress: bootnode.flag(
    boolean,
    false,
    "prints the id that follows from the node key, and ends",
    "common.write-address",
  ),

  ...networkFlags,
  ...genesisFlags,
  ...rpcFlags,

  ...accountFlags,

  "txpool.nolocals": pool.flag(boolean, false, "no privileges for transactions submitted here"),
  "txpool.keeplocals": pool.flag(boolean, false, "never drop waiting transactions submitted here"),
  "txpool.allow-local-anchortx": pool.flag(boolean, false, "take anchoring transactions submitted here"),
  "txpool.deny.remotetx": pool.flag(boolean, false, "refuse transactions of peers", "txpool.deny-remote-tx"),
  "txpool.spamthrottler.disable": pool.flag(
    boolean,
    false,
    "let a proxy take peers' transactions to addresses where most fail as any others",
  ),
  "txpool.journal": pool.flag(
    path,
    "transactions.rlp",
    "file that keeps transactions submitted here; empty is none",
  ),
  "txpool.journal-interval": pool.flag(duration, 3_600_000, "how often that file is rewritten"),
  "txpool.exec-slots.account": pool.flag(
    integer(1),
    16,
    "executable transactions an account may always keep",
  ),
  "txpool.exec-slots.all": pool.flag(integer(1), 4_096, "executable transactions of all accounts"),
  "txpool.nonexec-slots.account": pool.flag(integer(1), 64, "waiting transactions an account may keep"),
  "txpool.nonexec-slots.all": pool.flag(integer(1), 1_024, "waiting transactions of all accounts"),
  "txresend.interval": pool.flag(
    integer(1, 3_600),
    4,
    "seconds until pending transactions are sent to peers again",
  ),
  "txpool.lifetime": pool.flag(duration, 300_000, "how long waiting transactions are kept"),

  gcmode: data.maybe(
    choice(["full", "archive"]),
    "keep all states or only recent ones; as before by default",
    "common.garbage-collection-mode",
  ),
  "state.live-pruning": data.flag(
    boolean,
    false,
    "keep the states of 172,800 blocks, let go of older ones; refuse migrations",
  ),
  "state.live-pruning-retention": data.maybe(
    integer(1),
    "recent blocks whose states can be read; as before by default, 128 at first",
  ),
  "history.blocks": state.flag(
    integer(0),
    0,
    "recent blocks whose bodies and receipts are kept; 0 keeps all",
  ),
  sendertxhashindexing: data.flag(
    boolean,
    false,
    "find transactions by the hash that their sender knows, where somebody else pays",
    "common.sender-tx-hash-indexing",
  ),
  "state.preimages": data.flag(boolean, true, "keep addresses and slot keys, for listing accounts and slots"),
  "state.block-interval": state.flag(integer(1), 16, "blocks after which the trie is written"),
  "state.trie-cache-limit": state.flag(
    integer(-1),
    -1,
    "MiB of trie nodes kept in memory; -1 chooses, 0 is none",
  ),
  "state.trie-cache-save-period": state.flag(
    duration,
    0,
    "how often those are saved for the next start; 0 is only when asked",
  ),
  "db.leveldb.cache-size": data.flag(integer(1), 16, "MiB of database blocks kept in memory"),

  "db.min-free": state.flag(
    integer(0),
    128,
    "MiB that must be free on the database's disk to write blocks or exports",
  ),

  ...consensusFlags,

  metrics: metrics.flag(boolean, false, "collect metrics", "metrics-collection-reporting.enable"),
  prometheus: metrics.flag(
    boolean,
    false,
    "serve them to Prometheus",
    "metrics-collection-reporting.prometheus",
  ),
  prometheusport: metrics.flag(
    port,
    61_001,
    "port to serve them on",
    "metrics-collection-reporting.prometheus-port",
  ),

  verbosity: log.flag(
    integer(0, 5),
    3,
    "0 silent, 1 error, 2 warn, 3 info, 4 and 5 debug",
    "debug-profile.verbosity",
  ),
  "log.format": log.flag(choice(["terminal", "logfmt", "json"]), "terminal", "how log lines look"),
  ...logFileFlags,
};

/** A flag's name. */
export type FlagName = keyof typeof flags;

/** What each flag is after defaults, file, environment and command line. */
export type FlagValues = {
  readonly [Name in FlagName]: (typeof flags)[Name] extends { kind: Kind<infer T>; fallback: infer F }
    ? undefined extends F
      ? T | undefined
      : T
    : never;
};

/** Defaults that `knit dev` replaces: it serves everything that is harmless on loopback. */
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

/** Flags that a command takes under a name that is another flag's elsewhere. */
export const spellings: readonly {
  readonly command: FlagCommand;
  readonly typed: string;
  readonly flag: FlagName;
}[] = [{ command: "decode", typed: "type", flag: "decode.type" }];

/** The flag called `name`, or by one of its other names. */
export function findFlag(name: string): FlagName | undefined {
  return byName.get(name);
}

/** Flags in table order. */
export const flagNames = Object.keys(flags) as readonly FlagName[]; // the keys of the table above

const byName = new Map(
  flagNames.flatMap((name) => [name, ...flags[name].aliases].map((each) => [each, name])),
);
