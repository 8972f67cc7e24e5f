/**
 * The nodes of a trie over given leaves, from the root down, made in memory for those who look for a difference: a
 * node's hash, its parent's and the nibbles that lead to it.
 */
import type { Hash } from "../../bytes/brands.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { encodeBranch, encodeExtension, encodeLeaf, toNibbles } from "../../model/trie-node.ts";

/** A leaf: its 32-byte key and what stands there. */
export interface ListedLeaf {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A node, or what a leaf node holds. */
export interface ListedNode {
  /** No bytes for a node that is written inside its parent. */
  readonly hash: Hash;
  /** Hash of the nearest node above that has one; no bytes above the root. */
  readonly parent: Uint8Array;
  /** One a byte. */
  readonly path: Uint8Array;
  /** Set on leaf nodes. */
  readonly leaf: ListedLeaf | undefined;
}

interface Node {
  readonly rlp: Uint8Array;
  /** Nibbles below the parent. */
  readonly path: Uint8Array;
  readonly children: readonly Node[];
  readonly leaf: ListedLeaf | undefined;
}

const NOTHING = new Uint8Array(0);
const HASH_LENGTH = 32;

/** Lists the trie's nodes, each before those below it. Leaves must be sorted by key and all different. */
export function* listTrie(leaves: readonly ListedLeaf[]): Generator<ListedNode> {
  if (leaves.length === 0) return;
  const rows = leaves.map((leaf) => ({ leaf, nibbles: toNibbles(leaf.key) }));
  yield* listNode(nodeOf(rows, 0, NOTHING), NOTHING, NOTHING);
}

function* listNode(node: Node, parent: Uint8Array, above: Uint8Array): Generator<ListedNode> {
  const isRoot = parent.length === 0;
  const hash = isRoot || node.rlp.length >= HASH_LENGTH ? keccak256(node.rlp) : NOTHING;
  const path = Uint8Array.from([...above, ...node.path]);
  yield { hash, parent, path, leaf: node.leaf };
  for (const child of node.children) yield* listNode(child, hash.length === 0 ? parent : hash, path);
}

interface Row {
  readonly leaf: ListedLeaf;
  readonly nibbles: Uint8Array;
}

/** The node over rows that agree on their first `depth` nibbles. */
function nodeOf(rows: readonly Row[], depth: number, path: Uint8Array): Node {
  const [first] = rows as [Row]; // never called without rows
  if (rows.length === 1) {
    const rlp = encodeLeaf(first.nibbles.subarray(depth), first.leaf.value);
    return { rlp, path, children: [], leaf: first.leaf };
  }
  const shared = sharedBelow(rows, depth);
  if (shared === 0) return branchOf(rows, depth, path);
  const between = first.nibbles.subarray(depth, depth + shared);
  const child = branchOf(rows, depth + shared, between);
  return { rlp: encodeExtension(between, child.rlp), path, children: [child], leaf: undefined };
}

function branchOf(rows: readonly Row[], depth: number, path: Uint8Array): Node {
  const groups = Map.groupBy(rows, ({ nibbles }) => nibbles[depth] ?? 0);
  const children = new Map(
    [...groups].map(([nibble, own]) => [nibble, nodeOf(own, depth + 1, Uint8Array.of(nibble))]),
  );
  const items = Array.from({ length: 16 }, (_, nibble) => children.get(nibble)?.rlp);
  return { rlp: encodeBranch(items), path, children: [...children.values()], leaf: undefined };
}

/** Rows are sorted: what the first and the last share, all do. */
function sharedBelow(rows: readonly Row[], depth: number): number {
  const [first, last] = [rows[0]?.nibbles ?? NOTHING, rows.at(-1)?.nibbles ?? NOTHING];
  let shared = 0;
  while (first[depth + shared] === last[depth + shared] && depth + shared < first.length) shared++;
  return shared;
}
