/** The keys of a node, from where its options say they are. */
import { loadBlsKey } from "../accounts/bls-node-key.ts";
import { loadNodeKey, type NodeKey, nodeKeyOf, readNodeKey } from "../p2p/node-key.ts";
import type { NodeOptions } from "./options.ts";
import type { NodePaths } from "./paths.ts";

/** A node key in the options, or the path of its file. */
export interface NodeKeyPlace {
  readonly nodeKey: Uint8Array | undefined;
  readonly paths: Pick<NodePaths, "nodeKey" | "isNodeKeyNamed">;
}

/** The node key; one is made in the data directory when there is none and no file is named. Throws `NodeKeyError`. */
export async function ownNodeKey({ nodeKey, paths }: NodeKeyPlace): Promise<NodeKey> {
  if (nodeKey !== undefined) return nodeKeyOf(nodeKey);
  return paths.isNodeKeyNamed ? readNodeKey(paths.nodeKey) : loadNodeKey(paths.nodeKey);
}

/** The BLS key of a validator with that node key, 32 bytes. Throws as `loadBlsKey`. */
export function ownBlsKey({ blsKey, paths }: NodeOptions, { key }: NodeKey): Promise<Uint8Array> {
  return loadBlsKey({ ...blsKey, usual: paths.blsNodeKey, nodeKey: key });
}

/** Both. Throws as each. */
export async function ownKeys(options: NodeOptions): Promise<{ nodeKey: NodeKey; blsKey: Uint8Array }> {
  const nodeKey = await ownNodeKey(options);
  return { nodeKey, blsKey: await ownBlsKey(options, nodeKey) };
}
