/** How the flags of knit compare with those of the Go nodes: what the Go nodes lack, and what is not quite theirs. */
import type { FlagName } from "./flags.ts";

/** Flags that no Go node has, nor its network maker. */
export const ownFlags: ReadonlySet<FlagName> = new Set<FlagName>([
  "accounts",
  "balance",
  "first",
  "last",
  "decode.type",
  "endpoint",
  "raw",
  "timeout",
  "type",
  "properties",
  "network-name",
  "rpc.profile",
  "rpc.max-answer-bytes",
  "rpc.ipc-only-privileges",
  "state.preimages",
  "db.min-free",
  "history.blocks",
  "max-memory",
]);

/** What is different in flags that both have; the others are the same. */
export const differences: Partial<Record<FlagName, string>> = {
  mainnet: "block 0 is not included: `knit init GENESIS` first",
  conf: "takes properties too",
  datadir: "the chain is in `knit/` inside, not in `klay/`",
  ipcpath: "`knit.ipc` by default, not `klay.ipc`",
  nat: "`none` by default, not `any`; no router is asked to open a port, because routers that do obey any program: who serves others gives its address",
  networkid: "the chain's id by default, not 8217",
  rpcapi: "`chain,net,rpc` by default; `--rpc.profile` chooses the Go node's",
  wsapi: "`chain,net,rpc` by default; `--rpc.profile` chooses the Go node's",
  "cn-num": "1 by default, not 0",
  "gen-type":
    "local by default, not docker; no deploy, whose addresses are one site's own, and kubernetes besides",
  output: "`knit-network` by default; nothing in it is replaced",
  "docker-image-id": "an image of knit by default",
  "genesis-type": "mainnet and mainnet-test have the address book of Kairos, and no credit contract",
  srvtype: "there is one kind of server",
  "rpc.concurrencylimit": "does nothing: the budget of a listener limits what waits",
  gcmode: "as the database was opened before by default",
  "state.live-pruning-retention": "keeps states without `--state.live-pruning` too",
  "state.block-interval": "16 by default, not 128; blocks are on disk at once whatever it is",
  "db.leveldb.cache-size": "16 by default, not 768",
  nodekeystore: "for `knit account export` alone",
  "bls-nodekey": "a key that follows from the node key is not written to a file",
  extradata: "at most 31 bytes, not 32: the last one is the round; longer ones are refused",
  genkey: "writes over nothing",
  rewardbase: "the node's own address by default",
};
