/**
 * Trie nodes as RLP, as the Ethereum yellow paper's appendix D has them: a branch is 17 items, leaf and
 * extension are a hex-prefixed path and a value or reference. Hot: measured by `bench/state.ts`.
 */
import { BRANCH, Branch, copyHash, Extension, LEAF, Leaf, markStored, type TrieNode } from "./node.ts";

const HASH_HEADER = 0xa0;
const EMPTY_ITEM = 0x80;

/** Writes a node at the start of `out` and returns its length. Children must be hashed. */
export function encodeNode(node: TrieNode, out: Uint8Array): number {
  if (node.kind === BRANCH) return encodeBranch(node, out);
  if (node.kind === LEAF) {
    const { path, value } = node;
    const bare = value.length === 1 && (value[0] as number) < 0x80;
    const length = pathLength(path) + (bare ? 1 : headerLength(value.length) + value.length);
    let at = writePath(out, writeHeader(out, 0, length, 0xc0), path, 0x20);
    if (!bare) at = writeHeader(out, at, value.length, 0x80);
    out.set(value, at);
    return at + value.length;
  }
  const inline = node.child?.inline;
  const length = pathLength(node.path) + (inline === undefined ? 33 : inline.length);
  const at = writePath(out, writeHeader(out, 0, length, 0xc0), node.path, 0);
  if (inline === undefined) return writeHash(out, at, node.hash, 0);
  out.set(inline, at);
  return at + inline.length;
}

function encodeBranch(node: Branch, out: Uint8Array): number {
  const { mask, children, hashes } = node;
  let length = 1;
  for (let i = 0; i < 16; i++) {
    if (((mask >> i) & 1) === 0) length++;
    else length += children[i]?.inline?.length ?? 33;
  }
  let at = writeHeader(out, 0, length, 0xc0);
  for (let i = 0; i < 16; i++) {
    if (((mask >> i) & 1) === 0) {
      out[at++] = EMPTY_ITEM;
      continue;
    }
    const inline = children[i]?.inline;
    if (inline === undefined) {
      at = writeHash(out, at, hashes, i * 32);
    } else {
      out.set(inline, at);
      at += inline.length;
    }
  }
  out[at++] = EMPTY_ITEM;
  return at;
}

function writeHash(out: Uint8Array, at: number, hash: Uint8Array, from: number): number {
  out[at] = HASH_HEADER;
  copyHash(hash, from, out, at + 1);
  return at + 33;
}

function headerLength(length: number): number {
  return length < 56 ? 1 : length < 256 ? 2 : 3;
}

function writeHeader(out: Uint8Array, at: number, length: number, base: number): number {
  if (length < 56) {
    out[at] = base + length;
    return at + 1;
  }
  if (length < 256) {
    out[at] = base + 56;
    out[at + 1] = length;
    return at + 2;
  }
  out[at] = base + 57;
  out[at + 1] = length >> 8;
  out[at + 2] = length & 255;
  return at + 3;
}

/** Length of a hex-prefixed path as an RLP string. */
function pathLength(path: Uint8Array): number {
  const bytes = (path.length >> 1) + 1;
  return bytes > 1 ? bytes + 1 : 1;
}

function writePath(out: Uint8Array, start: number, path: Uint8Array, flag: number): number {
  const bytes = (path.length >> 1) + 1;
  let at = start;
  let i = 0;
  if (bytes > 1) out[at++] = 0x80 + bytes;
  if ((path.length & 1) === 1) out[at++] = flag | 0x10 | (path[i++] as number);
  else out[at++] = flag;
  for (; i < path.length; i += 2) out[at++] = ((path[i] as number) << 4) | (path[i + 1] as number);
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

function decodeBranch(bytes: Uint8Array, first: number): Branch {
  const node = markStored(new Branch());
  let at = first;
  for (let i = 0; i < 16; i++) {
    const head = bytes[at] as number;
    if (head === EMPTY_ITEM) {
      at++;
      continue;
    }
    node.mask |= 1 << i;
    if (head === HASH_HEADER) {
      copyHash(bytes, at + 1, node.hashes, i * 32);
      at += 33;
    } else {
      const end = itemEnd(bytes, at);
      node.children[i] = decodeInline(bytes, at, end);
      at = end;
    }
  }
  return node;
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
