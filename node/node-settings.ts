/** The settings that methods tell of, out of the node's options. */
import { resolve } from "node:path";
import { networkId } from "./node-network.ts";
import type { RpcSurroundings } from "./node-rpc.ts";
import type { NodeSettings } from "./rpc/views/node-config.ts";

/** See the head of this file. */
export function nodeSettings(
  { options, open: { chain } }: Pick<RpcSurroundings, "options" | "open">,
  rewardbase: Uint8Array | undefined,
): NodeSettings {
  const { paths, pool, rpc, state, ws } = options;
  return {
    networkId: networkId(options, { chain }),
    archive: state.archive === true,
    senderHashes: state.senderHashes,
    unitPrice: chain.config.unitPrice,
    dataDirectory: paths.dataDirectory,
    instanceDirectory: paths.instance,
    journal: pool.journal === undefined ? "" : resolve(paths.instance, pool.journal),
    wsEndpoint: ws === undefined ? "" : `${ws.host}:${ws.port}`,
    pool,
    rpc,
    rewardbase,
  };
}
