/** Methods of the Go node that are unsupported, with the reason. A call of one fails with -32601. */

/** Methods with one reason. */
export interface UnsupportedMethods {
  readonly names: readonly string[];
  readonly reason: string;
}

/** All unsupported methods; docs/rpc.md is generated from this list. */
export const unsupported: readonly UnsupportedMethods[] = [
  {
    names: ["debug_startPProf", "debug_stopPProf", "debug_isPProfRunning"],
    reason:
      "The Go runtime's profiling server. The equivalent, a debugger's port, would run any program of a client that reaches it. `debug_cpuProfile` and `debug_writeMemProfile` write the same profiles to files.",
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
    reason: "Contention of the Go runtime's locks. This program has no such locks.",
  },
  {
    names: ["debug_goTrace", "debug_startGoTrace", "debug_stopGoTrace", "debug_stacks"],
    reason: "Goroutines, which this program does not have. `debug_cpuProfile` shows the time per function.",
  },
  {
    names: ["debug_gcStats", "debug_setGCPercent"],
    reason: "Statistics and setting of the Go garbage collector. `debug_memStats` returns those of the heap.",
  },
  {
    names: ["debug_metrics"],
    reason: "Metrics of the Go node's own library. `--prometheus` serves metrics.",
  },
  {
    names: ["debug_verbosityByName", "debug_verbosityByID", "debug_vmodule", "debug_backtraceAt"],
    reason: "Log levels per module or source line. `debug_verbosity` sets the level of all modules.",
  },
  {
    names: ["debug_writeVMLog", "debug_setVMLogTarget"],
    reason: "A log of the Go node's interpreter. `debug_standardTraceBlockToFile` writes one on request.",
  },
  {
    names: ["eth_events", "eth_getHashrate", "eth_rpcMarshalBlobSidecar", "eth_subscribeSyncStatus"],
    reason:
      "Exported Go functions that the Go node's registry serves by accident, also as `klay_` and `kaia_`. `eth_hashrate` is supported.",
  },
  {
    names: ["debug_startCollectingTrieStats"],
    reason: "Statistics of a trie cache. States are read without tries.",
  },
  {
    names: ["auction_submitBid", "auction_call", "auction_subscribe"],
    reason: "Bids for block space. Blocks are built without auctions.",
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
    reason: "Export of the chain to a database server or Kafka, which the node does not include.",
  },
  {
    names: ["mainbridge_*", "subbridge_*"],
    reason: "All methods of service chain bridges, which the node does not include.",
  },
];
