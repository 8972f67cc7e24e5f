/** Comparison of knit's flags with those of the Go nodes, for docs/flags.md: own flags and differences. */
import type { FlagName } from "./flags.ts";

/** Flags that neither the Go nodes nor their network maker have. */
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
  "p2p.static-nodes-file",
  "consensus.doppelganger",
  "consensus.doppelganger-listen",
  "consensus.doppelganger-clear",
  "consensus.min-height",
]);

/** Differences in flags that both have; the others are the same. */
export const differences: Partial<Record<FlagName, string>> = {
  mainnet: "block 0 is not included: `knit init GENESIS` first",
  conf: "accepts properties, too",
  datadir: "the chain is in its subdirectory `knit/`, not in `klay/`",
  ipcpath: "`knit.ipc` by default, not `klay.ipc`",
  nat: "`none` by default, not `any`; knit asks no router to open a port; a node that serves others sets its address",
  networkid: "the chain id by default, not 8217",
  rpcapi: "`chain,net,rpc` by default; `--rpc.profile` selects the Go node's",
  wsapi: "`chain,net,rpc` by default; `--rpc.profile` selects the Go node's",
  "cn-num": "1 by default, not 0",
  "gen-type":
    "local by default, not docker; kubernetes in addition, and no deploy, which is specific to one site",
  output: "`knit-network` by default; knit overwrites no file in it",
  "docker-image-id": "an image of knit by default",
  "genesis-type": "mainnet and mainnet-test use the address book of Kairos and have no credit contract",
  srvtype: "no effect: there is one kind of HTTP server",
  "rpc.concurrencylimit": "no effect: the budget of a listener limits queued requests",
  gcmode: "the mode of the existing database by default",
  "state.live-pruning-retention": "also without `--state.live-pruning`",
  "state.block-interval": "16 by default, not 128; blocks are written to disk at once in any case",
  "db.leveldb.cache-size": "16 by default, not 768",
  nodekeystore: "for `knit account export` only",
  "bls-nodekey": "a key derived from the node key is not written to a file",
  extradata: "at most 31 bytes, not 32: the last byte is the round; longer texts are rejected",
  genkey: "does not overwrite a file",
  rewardbase: "the node's address by default",
};
