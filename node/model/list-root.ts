/**
 * The root over a block's transactions or receipts, computed in one of three ways by the chain parameter
 * `deriveshaimpl` (`blockchain/types/derivesha@v2.2.2`). Items are the encodings that the root covers.
 */
import type { Hash } from "../bytes/brands.ts";
import { concatBytes, equalBytes } from "../bytes/compare.ts";
import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { encodeBranch, encodeExtension, encodeLeaf, toNibbles } from "./trie-node.ts";

/** Root of an empty Merkle Patricia trie: the hash of an empty RLP string. It must not be written to. */
export const EMPTY_TRIE_ROOT: Hash<ArrayBuffer> = keccak256(Uint8Array.of(0x80));

/** Returns the root of a list; an unknown `impl` counts as 0, as in the Go node. */
export function listRoot(impl: number, items: readonly Uint8Array[]): Hash {
  if (impl === 1) return pairRoot(items);
  if (impl === 2) return keccak256(Buffer.concat(items));
  return trieRoot(items);
}

/** Ways to compute a root of a list, the cheapest first; governance chooses one for all blocks (`istanbul.deriveShaImpl`). */
const LIST_ROOTS = [2, 1, 0];

/** True when a root is that of the list in any of the three ways: each covers the whole list. */
export function hasListRoot(root: Hash, items: readonly Uint8Array[]): boolean {
  return LIST_ROOTS.some((way) => equalBytes(listRoot(way, items), root));
}

/** Hashes leaves pairwise; an odd leaf at the end is paired with itself. */
function pairRoot(items: readonly Uint8Array[]): Hash {
  if (items.length === 0) return EMPTY_HASH;
  let level: Hash[] = items.map((item) => keccak256(item));
  while (level.length > 1) {
    const parents: Hash[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] as Hash; // in range: loop bound
      parents.push(keccak256(concatBytes(left, level[i + 1] ?? left)));
    }
    level = parents;
  }
  return level[0] as Hash; // never empty: checked above
}

interface Leaf {
  /** RLP(index), one nibble per byte. */
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

/** Computes Ethereum's Merkle Patricia trie from RLP(index) to item (yellow paper, appendix D). */
function trieRoot(items: readonly Uint8Array[]): Hash {
  if (items.length === 0) return EMPTY_TRIE_ROOT;
  const leaves = items.map(
    (value, index): Leaf => ({ path: toNibbles(encodeRlp(integerBytes(index))), value }),
  );
  leaves.sort((a, b) => Buffer.compare(a.path, b.path));
  return keccak256(encodeNode(leaves, 0, leaves.length, 0));
}

/** Encodes the node over leaves `from` to `to` (exclusive), whose paths agree up to `depth`. */
function encodeNode(leaves: readonly Leaf[], from: number, to: number, depth: number): Uint8Array {
  const first = leaves[from] as Leaf; // from < to: every caller's range holds a leaf
  if (to - from === 1) return encodeLeaf(first.path.subarray(depth), first.value);
  const last = leaves[to - 1] as Leaf; // from < to
  let split = depth;
  while (first.path[split] === last.path[split]) split++; // ends: no RLP(index) is the beginning of another
  if (split > depth) {
    return encodeExtension(first.path.subarray(depth, split), encodeNode(leaves, from, to, split));
  }
  const children: (Uint8Array | undefined)[] = [];
  for (let nibble = 0, at = from; nibble < 16; nibble++) {
    const start = at;
    while (at < to && (leaves[at] as Leaf).path[depth] === nibble) at++; // in range: checked
    children.push(at === start ? undefined : encodeNode(leaves, start, at, depth + 1));
  }
  return encodeBranch(children);
}
