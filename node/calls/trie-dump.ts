/** Dumps the tries of a state, node by node. */
import type { Address, Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { trimZeros } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { encodeAccount } from "../model/account.ts";
import type { StateReader } from "../state/state-reader.ts";
import { type ListedLeaf, type ListedNode, listTrie } from "../state/trie/trie-listing.ts";
import { addToSize, type DumpSize } from "./state-dump.ts";

/** A node of a trie, or the end of a path. */
export interface DumpedNode {
  readonly type: "state" | "state_leaf" | "storage" | "storage_leaf" | "code";
  /** Hash of the node or code; zero for a leaf. */
  readonly hash: string;
  readonly parent: string;
  /** Path in hex, a digit per nibble. */
  readonly path: string;
}

const NO_HASH = `0x${"0".repeat(64)}`;
/** Approximate size of a leaf with its node, its row and its ancestors, in bytes. */
const LEAF_BYTES = 700;

interface DumpedLeaf extends ListedLeaf {
  readonly address: Address | undefined;
  readonly codeHash: Hash;
}

/**
 * Dumps all nodes after block `number`, with a row for the storage of accounts without any. Throws `RpcError` above the size
 * limit of `maxBytes`.
 */
export async function dumpTries(
  states: StateReader,
  number: number,
  maxBytes: number,
): Promise<DumpedNode[]> {
  const size = { used: 0, max: maxBytes };
  const accounts: DumpedLeaf[] = [];
  for await (const { hash, address, account } of states.accounts(number)) {
    addToSize(size, LEAF_BYTES);
    accounts.push({ key: hash, value: encodeAccount(account), address, codeHash: account.codeHash });
  }
  const byKey = new Map(accounts.map((each) => [bareHex(each.key), each]));
  const nodes: DumpedNode[] = [];
  for (const node of listTrie(accounts)) {
    nodes.push(nodeJson("state", node));
    if (node.leaf === undefined) continue;
    const parent = toHex(node.hash);
    const { address, codeHash = EMPTY_HASH } = byKey.get(bareHex(node.leaf.key)) ?? {};
    const slots = address === undefined ? [] : await slotLeaves(states, { number, address }, size);
    if (slots.length > 0) nodes.push(...storageNodes(slots, parent));
    else nodes.push({ type: "storage", hash: NO_HASH, parent, path: "0x" });
    if (!equalBytes(codeHash, EMPTY_HASH)) {
      nodes.push({ type: "code", hash: toHex(codeHash), parent, path: "0x" });
    }
    nodes.push({ type: "state_leaf", hash: NO_HASH, parent, path: toHex(node.leaf.key) });
  }
  return nodes;
}

async function slotLeaves(
  states: StateReader,
  { number, address }: { readonly number: number; readonly address: Address },
  size: DumpSize,
): Promise<ListedLeaf[]> {
  const leaves: ListedLeaf[] = [];
  for await (const { hash, value } of states.slots(number, address)) {
    addToSize(size, LEAF_BYTES);
    leaves.push({ key: hash, value: encodeRlp(trimZeros(value)) });
  }
  return leaves;
}

function* storageNodes(slots: readonly ListedLeaf[], account: string): Generator<DumpedNode> {
  for (const node of listTrie(slots)) {
    const row = nodeJson("storage", node);
    yield node.parent.length === 0 ? { ...row, parent: account } : row;
    if (node.leaf === undefined) continue;
    const parent = node.hash.length === 0 ? row.parent : row.hash;
    yield { type: "storage_leaf", hash: NO_HASH, parent, path: toHex(node.leaf.key) };
  }
}

function nodeJson(type: DumpedNode["type"], { hash, parent, path }: ListedNode): DumpedNode {
  return {
    type,
    hash: hash.length === 0 ? NO_HASH : toHex(hash),
    parent: parent.length === 0 ? NO_HASH : toHex(parent),
    path: `0x${[...path].map((nibble) => nibble.toString(16)).join("")}`,
  };
}
