/** Methods of the Go node that are not here, and why: each answers that it does not exist (-32601). */

/** Names that have one reason. */
export interface LeftOut {
  readonly names: readonly string[];
  readonly reason: string;
}

/** All of them; docs/rpc.md is printed from this list. */
export const leftOut: readonly LeftOut[] = [
  {
    names: ["debug_startPProf", "debug_stopPProf", "debug_isPProfRunning"],
    reason:
      "The Go runtime's profiling server. Its like here would be a debugger's port, which runs any program for whoever reaches it; `debug_cpuProfile` and `debug_writeMemProfile` write the same facts to files.",
  },
  {
    names: [
      "debug_blockProfile",
      "debug_setBlockProfileRate",
      "debug_writeBlockProfile",
      "debug_mutexProfile",
      "debug_setMutexProfileFraction",
      "debug_writeMutexProfile",
    ],
    reason: "Waits for locks of the Go runtime: this program has no locks to wait for.",
  },
  {
    names: ["debug_goTrace", "debug_startGoTrace", "debug_stopGoTrace", "debug_stacks"],
    reason: "What goroutines do: there are none. `debug_cpuProfile` shows where time goes.",
  },
  {
    names: ["debug_gcStats", "debug_setGCPercent"],
    reason: "The Go garbage collector's figures and setting. `debug_memStats` has the heap's.",
  },
  {
    names: ["debug_metrics"],
    reason: "Names and averages of the Go node's own library. Metrics are served by `--prometheus`.",
  },
  {
    names: ["debug_verbosityByName", "debug_verbosityByID", "debug_vmodule", "debug_backtraceAt"],
    reason: "Logs are not set module by module or by places of the source. `debug_verbosity` sets all.",
  },
  {
    names: ["debug_writeVMLog", "debug_setVMLogTarget"],
    reason:
      "A log that the Go interpreter writes by itself. `debug_standardTraceBlockToFile` writes one on request.",
  },
  {
    names: ["eth_events", "eth_getHashrate", "eth_rpcMarshalBlobSidecar", "eth_subscribeSyncStatus"],
    reason:
      "Functions of the Go program that its registry takes for methods, `klay_` and `kaia_` ones too. `eth_hashrate` answers.",
  },
  {
    names: ["debug_startCollectingTrieStats"],
    reason: "Statistics of a cache of tries: states are read without their tries here.",
  },
  {
    names: ["auction_submitBid", "auction_call", "auction_subscribe"],
    reason: "Bids for places in blocks: blocks are made without auctions.",
  },
  {
    names: [
      "bootnode_name",
      "bootnode_resolve",
      "bootnode_lookup",
      "bootnode_readRandomNodes",
      "bootnode_createUpdateNodeOnDB",
      "bootnode_createUpdateNodeOnTable",
      "bootnode_getNodeFromDB",
      "bootnode_getTableEntries",
      "bootnode_getTableReplacements",
      "bootnode_deleteNodeFromDB",
      "bootnode_deleteNodeFromTable",
      "bootnode_getAuthorizedNodes",
      "bootnode_putAuthorizedNodes",
      "bootnode_deleteAuthorizedNodes",
    ],
    reason: "Tables of the Go node's boot node. `knit bootnode` has no JSON-RPC.",
  },
  {
    names: [
      "chaindatafetcher_startFetching",
      "chaindatafetcher_stopFetching",
      "chaindatafetcher_startRangeFetching",
      "chaindatafetcher_stopRangeFetching",
      "chaindatafetcher_status",
      "chaindatafetcher_readCheckpoint",
      "chaindatafetcher_writeCheckpoint",
      "chaindatafetcher_getConfig",
    ],
    reason: "Copies the chain into a database server or Kafka: not a part of this node.",
  },
  {
    names: ["mainbridge_*", "subbridge_*"],
    reason: "Bridges of service chains, whatever their methods are called: not a part of this node.",
  },
];
