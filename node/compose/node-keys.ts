/** The keys of a node, from where its options say they are. */
import { loadBlsKey } from "../accounts/bls-node-key.ts";
import { equalBytes } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import { loadNodeKey, type NodeKey, NodeKeyError, nodeKeyOf, readNodeKey } from "../p2p/node-key.ts";
import type { NodeOptions } from "./options.ts";
import type { NodePaths } from "./paths.ts";

/** A node key in the options, or the path of its file, and the address that it must have. */
export interface NodeKeyPlace extends Pick<NodeOptions, "nodeKey" | "nodeAddress"> {
  readonly paths: Pick<NodePaths, "nodeKey" | "isNodeKeyNamed">;
}

/**
 * The node key; one is made in the data directory when there is none, and neither a file nor an address is given. Throws
 * `NodeKeyError`, also for a key of another address.
 */
export async function ownNodeKey({ nodeKey, nodeAddress, paths }: NodeKeyPlace): Promise<NodeKey> {
  const mustExist = paths.isNodeKeyNamed || nodeAddress !== undefined;
  const key =
    nodeKey === undefined ? await (mustExist ? readNodeKey : loadNodeKey)(paths.nodeKey) : nodeKeyOf(nodeKey);
  if (nodeAddress === undefined || equalBytes(key.address, nodeAddress)) return key;
  const found = `the node key has the address ${toHex(key.address)}`;
  throw new NodeKeyError(`${found}, but --nodekey.address is ${toHex(nodeAddress)}: restore its key`);
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
