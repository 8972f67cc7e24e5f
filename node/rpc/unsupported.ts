/** Methods of the Go node that are unsupported, with the reason. A call of one fails with -32601. */

/** Methods with one reason. */
export interface UnsupportedMethods {
  readonly names: readonly string[];
  readonly reason: string;
}

/** All unsupported methods; docs/rpc.md is generated from this list. */
export const unsupported: readonly UnsupportedMethods[] = [
  {
    names: ["eth_events", "eth_rpcMarshalBlobSidecar", "eth_subscribeSyncStatus"],
    reason:
      "Exported Go functions that the Go node's registry serves by accident, also as `klay_` and `kaia_`. `eth_hashrate` is supported.",
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
