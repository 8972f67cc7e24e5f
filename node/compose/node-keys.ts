/** The keys of a node, from where its options say they are. */
import { loadBlsKey } from "../accounts/bls-node-key.ts";
import type { NodeOptions } from "../config/options.ts";
import { loadNodeKey, type NodeKey, nodeKeyOf } from "../p2p/node-key.ts";

/** Where a node key is: given, or in a file. */
export interface NodeKeyPlace {
  readonly nodeKey: Uint8Array | undefined;
  readonly paths: { readonly nodeKey: string };
}

/** The node key; one is made in the data directory when there is none. Throws `NodeKeyError`. */
export async function ownNodeKey({ nodeKey, paths }: NodeKeyPlace): Promise<NodeKey> {
  return nodeKey ? nodeKeyOf(nodeKey) : loadNodeKey(paths.nodeKey);
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
