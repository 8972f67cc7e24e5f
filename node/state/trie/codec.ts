/**
 * Trie nodes in memory to and from RLP (`model/trie-node.ts`). Hot: measured by `bench/state.ts`. It reads headers itself
 * and unchecked, because bytes that have passed their hash are canonical and `bytes/rlp-header.ts` would check them again.
 */
import {
  beginBranch,
  copyHash,
  referenceLength,
  writeExtension,
  writeLeaf,
  writeReference,
} from "../../model/trie-node.ts";
import {
  BRANCH,
  type Branch,
  Extension,
  hashPlace,
  LEAF,
  Leaf,
  markStored,
  type TrieNode,
  takeBranch,
} from "./node.ts";

const HASH_HEADER = 0xa0;
const EMPTY_ITEM = 0x80;
/** Mask of a branch with sixteen children. */
const ALL = 0xffff;

/** Writes a node at the start of `out` and returns its length. Children must be hashed. */
export function encodeNode(node: TrieNode, out: Uint8Array): number {
  if (node.kind === BRANCH) return encodeBranch(node, out);
  if (node.kind === LEAF) return writeLeaf(out, node.path, node.value);
  return writeExtension(out, node.path, node.child?.inline, node.hash);
}

function encodeBranch(node: Branch, out: Uint8Array): number {
  const { mask, children, references } = node;
  if (mask === ALL && !children.some(standsInline)) {
    const at = beginBranch(out, references.length + 1);
    out.set(references, at);
    out[at + references.length] = EMPTY_ITEM;
    return at + references.length + 1;
  }
  let payload = 1;
  for (let i = 0; i < 16; i++) payload += ((mask >> i) & 1) === 0 ? 1 : referenceLength(children[i]?.inline);
  let at = beginBranch(out, payload);
  for (let i = 0; i < 16; i++) {
    if (((mask >> i) & 1) === 0) out[at++] = EMPTY_ITEM;
    else at = writeReference(out, at, children[i]?.inline, references, hashPlace(i));
  }
  out[at++] = EMPTY_ITEM;
  return at;
}

/** Returns the end of the item at `at`. */
function itemEnd(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return at + 1;
  const base = first < 0xc0 ? 0x80 : 0xc0;
  return (
    payloadStart(bytes, at) + (first < base + 56 ? first - base : longLength(bytes, at, first - base - 55))
  );
}

function payloadStart(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return at;
  const base = first < 0xc0 ? 0x80 : 0xc0;
  return at + 1 + (first < base + 56 ? 0 : first - base - 55);
}

function longLength(bytes: Uint8Array, at: number, count: number): number {
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + (bytes[at + i] as number);
  return length;
}

/**
 * Reads the node that begins at `at`; nothing of it stays a view of `bytes`. The bytes must have passed the
 * check of their hash: nothing else is checked.
 */
export function decodeNode(bytes: Uint8Array, at: number): TrieNode {
  const first = payloadStart(bytes, at);
  const second = itemEnd(bytes, first);
  if (itemEnd(bytes, second) !== itemEnd(bytes, at)) return decodeBranch(bytes, first);
  const head = payloadStart(bytes, first);
  const path = readPath(bytes, head, second);
  const isLeaf = ((bytes[head] as number) & 0x20) !== 0;
  const start = payloadStart(bytes, second);
  const end = itemEnd(bytes, second);
  if (isLeaf) return markStored(new Leaf(path, copyOf(bytes, start, end)));
  if ((bytes[second] as number) >= 0xc0) {
    return markStored(new Extension(path, decodeInline(bytes, second, end), new Uint8Array(32)));
  }
  return markStored(new Extension(path, undefined, copyOf(bytes, start, end)));
}

function readPath(bytes: Uint8Array, head: number, end: number): Uint8Array {
  const first = bytes[head] as number;
  const odd = (first & 0x10) !== 0;
  const path = new Uint8Array((end - head - 1) * 2 + (odd ? 1 : 0));
  let i = 0;
  if (odd) path[i++] = first & 15;
  for (let at = head + 1; at < end; at++) {
    const byte = bytes[at] as number;
    path[i++] = byte >> 4;
    path[i++] = byte & 15;
  }
  return path;
}

function standsInline(child: TrieNode | undefined): boolean {
  return child?.inline !== undefined;
}

function decodeBranch(bytes: Uint8Array, first: number): Branch {
  const node = markStored(takeBranch());
  if (hasAllHashes(bytes, first)) {
    node.mask = ALL;
    node.references.set(bytes.subarray(first, first + node.references.length));
    return node;
  }
  let at = first;
  for (let i = 0; i < 16; i++) {
    const head = bytes[at] as number;
    if (head === EMPTY_ITEM) {
      at++;
      continue;
    }
    node.mask |= 1 << i;
    if (head === HASH_HEADER) {
      copyHash(bytes, at + 1, node.references, hashPlace(i));
      at += 33;
    } else {
      const end = itemEnd(bytes, at);
      node.children[i] = decodeInline(bytes, at, end);
      at = end;
    }
  }
  return node;
}

/** True where sixteen hashes follow each other. */
function hasAllHashes(bytes: Uint8Array, first: number): boolean {
  for (let i = 0; i < 16; i++) if (bytes[first + hashPlace(i) - 1] !== HASH_HEADER) return false;
  return true;
}

function decodeInline(bytes: Uint8Array, start: number, end: number): TrieNode {
  const node = decodeNode(bytes, start);
  node.stored = false;
  node.inline = copyOf(bytes, start, end);
  return node;
}

/** Never a view, also where `bytes` is a `Buffer`. */
function copyOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes, start, end);
}
