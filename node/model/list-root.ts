/**
 * The root over a block's transactions or receipts, computed in one of three ways by the chain parameter
 * `deriveshaimpl` (`blockchain/types/derivesha@v2.2.2`). Items are the encodings that the root covers.
 */
import type { Hash } from "../bytes/brands.ts";
import { concatBytes, equalBytes } from "../bytes/compare.ts";
import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { createRunningKeccak } from "../crypto/running-keccak.ts";
import { runAtOnce } from "../runtime/scheduler.ts";
import { encodeBranch, encodeExtension, encodeLeaf, toNibbles } from "./trie-node.ts";

/** Root of an empty Merkle Patricia trie: the hash of an empty RLP string. It must not be written to. */
export const EMPTY_TRIE_ROOT: Hash<ArrayBuffer> = keccak256(Uint8Array.of(0x80));

/** Returns the root of a list; an unknown `impl` counts as 0, as in the Go node. */
export function listRoot(impl: number, items: readonly Uint8Array[]): Hash {
  return runAtOnce(listRootSteps(impl, items));
}

/** Items whose hashing is one step. */
const STEP_ITEMS = 64;

/** The same in steps of about a millisecond, since the root over 100,000 items takes up to 1.5 s. */
export function* listRootSteps(impl: number, items: readonly Uint8Array[]): Generator<undefined, Hash> {
  if (impl === 1) return yield* pairSteps(items);
  if (impl === 2) return yield* concatenationSteps(items);
  return yield* trieSteps(items);
}

/** Ways to compute a root of a list, the cheapest first; governance chooses one for all blocks (`istanbul.deriveShaImpl`). */
const LIST_ROOTS = [2, 1, 0];

/** True when a root is that of the list in any of the three ways: each covers the whole list. */
export function hasListRoot(root: Hash, items: readonly Uint8Array[]): boolean {
  return LIST_ROOTS.some((way) => equalBytes(listRoot(way, items), root));
}

/** Hashes all items as one. */
function* concatenationSteps(items: readonly Uint8Array[]): Generator<undefined, Hash> {
  if (items.length <= STEP_ITEMS) return keccak256(Buffer.concat(items));
  const hash = createRunningKeccak();
  for (let i = 0; i < items.length; i += STEP_ITEMS) {
    hash.update(Buffer.concat(items.slice(i, i + STEP_ITEMS)));
    yield;
  }
  return hash.digest();
}

/** Hashes leaves pairwise; an odd leaf at the end is paired with itself. */
function* pairSteps(items: readonly Uint8Array[]): Generator<undefined, Hash> {
  if (items.length === 0) return EMPTY_HASH;
  let level: Hash[] = [];
  for (const item of items) {
    level.push(keccak256(item));
    if (level.length % STEP_ITEMS === 0) yield;
  }
  while (level.length > 1) {
    const parents: Hash[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] as Hash; // in range: loop bound
      parents.push(keccak256(concatBytes(left, level[i + 1] ?? left)));
      if (parents.length % STEP_ITEMS === 0) yield;
    }
    level = parents;
  }
  return level[0] as Hash; // never empty: checked above
}

/** Computes Ethereum's Merkle Patricia trie from RLP(index) to item (yellow paper, appendix D). */
function* trieSteps(items: readonly Uint8Array[]): Generator<undefined, Hash> {
  if (items.length === 0) return EMPTY_TRIE_ROOT;
  return keccak256(yield* nodeSteps(items, { from: 0, to: items.length }, 0));
}

/** Places of leaves in the order of their paths, from one to another, exclusive. */
interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** As `encodeNode`, in steps of some leaves. */
function* nodeSteps(
  items: readonly Uint8Array[],
  range: LeafRange,
  depth: number,
): Generator<undefined, Uint8Array> {
  if (range.to - range.from <= STEP_ITEMS) {
    yield;
    return encodeNode(items, range, depth);
  }
  const split = splitDepth(items, range, depth);
  if (split > depth)
    return extensionTo(yield* nodeSteps(items, range, split), items, range, { depth, split });
  const children: (Uint8Array | undefined)[] = [];
  for (const each of childRanges(items, range, depth))
    children.push(each.from === each.to ? undefined : yield* nodeSteps(items, each, depth + 1));
  return encodeBranch(children);
}

/** Encodes the node over leaves whose paths agree up to `depth`. */
function encodeNode(items: readonly Uint8Array[], range: LeafRange, depth: number): Uint8Array {
  if (range.to - range.from === 1) {
    const index = indexAt(range.from, items.length);
    const value = items[index] as Uint8Array; // in range: each index has one place
    return encodeLeaf(pathOf(index).subarray(depth), value);
  }
  const split = splitDepth(items, range, depth);
  if (split > depth) return extensionTo(encodeNode(items, range, split), items, range, { depth, split });
  const children = childRanges(items, range, depth).map((each) =>
    each.from === each.to ? undefined : encodeNode(items, each, depth + 1),
  );
  return encodeBranch(children);
}

/** Returns the depth up to which the paths of two or more leaves agree. */
function splitDepth({ length }: readonly unknown[], { from, to }: LeafRange, depth: number): number {
  const first = indexAt(from, length);
  const last = indexAt(to - 1, length);
  let split = depth;
  while (nibbleOf(first, split) === nibbleOf(last, split)) split++; // ends: no path is the beginning of another
  return split;
}

function extensionTo(
  child: Uint8Array,
  { length }: readonly unknown[],
  { from }: LeafRange,
  { depth, split }: { readonly depth: number; readonly split: number },
): Uint8Array {
  return encodeExtension(pathOf(indexAt(from, length)).subarray(depth, split), child);
}

/** Returns the ranges of the sixteen children of a branch; some are empty. */
function childRanges({ length }: readonly unknown[], { from, to }: LeafRange, depth: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  for (let nibble = 0, at = from; nibble < 16; nibble++) {
    const start = at;
    while (at < to && nibbleOf(indexAt(at, length), depth) === nibble) at++;
    ranges.push({ from: start, to: at });
  }
  return ranges;
}

/** Indices below this one are one byte as RLP, 0 is the byte behind theirs, and all others begin with a larger one. */
const FIRST_LONG_INDEX = 0x80;

/** Returns the index at a place in the order of paths. */
function indexAt(place: number, count: number): number {
  const short = Math.min(FIRST_LONG_INDEX, count);
  if (place >= short) return place;
  return place === short - 1 ? 0 : place + 1;
}

/** Returns RLP(index) as nibbles, one per byte. */
function pathOf(index: number): Uint8Array {
  return toNibbles(encodeRlp(integerBytes(index)));
}

/** Returns one nibble of `pathOf` without the others. */
function nibbleOf(index: number, depth: number): number {
  const isHigh = depth % 2 === 0;
  let byte = index === 0 ? FIRST_LONG_INDEX : index;
  if (index >= FIRST_LONG_INDEX) {
    const length = index < 0x100 ? 1 : index < 0x10000 ? 2 : 3; // 2^24 items are more than a message holds
    byte = depth < 2 ? FIRST_LONG_INDEX + length : index >>> (8 * (length - (depth >> 1)));
  }
  return isHigh ? (byte >> 4) & 15 : byte & 15;
}
