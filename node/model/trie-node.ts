/**
 * Nodes of a Merkle Patricia trie as RLP (yellow paper, appendices C and D): a branch is 17 items, leaf and extension are a
 * hex-prefixed path and a value or reference. A path is one nibble a byte; all keys of a trie have one length or none is the
 * beginning of another, so a branch never holds a value. Hot: measured by `bench/state.ts`.
 */
import type { Hash } from "../bytes/brands.ts";
import { isOneByteItem, RLP_LIST, RLP_STRING, rlpHeaderLength, writeRlpHeader } from "../bytes/rlp-header.ts";
import { keccak256 } from "../crypto/keccak.ts";

const EMPTY_ITEM = 0x80;
const HASH_HEADER = 0xa0;
const HASH_BYTES = 32;
const LEAF_FLAG = 0x20;
const ODD_FLAG = 0x10;

/** Returns a key as nibbles, one per byte, written into `path` when given. */
export function toNibbles(key: Uint8Array, path: Uint8Array = new Uint8Array(key.length * 2)): Uint8Array {
  for (let i = 0; i < key.length; i++) {
    const byte = key[i] as number; // in range: loop bound
    path[2 * i] = byte >> 4;
    path[2 * i + 1] = byte & 15;
  }
  return path;
}

/** Encodes a leaf. */
export function encodeLeaf(path: Uint8Array, value: Uint8Array): Uint8Array {
  const payload = leafPayload(path, value);
  const out = new Uint8Array(rlpHeaderLength(payload) + payload);
  writeLeaf(out, path, value);
  return out;
}

/** Encodes an extension; `child` is the RLP of its child. */
export function encodeExtension(path: Uint8Array, child: Uint8Array): Uint8Array {
  const inline = child.length < HASH_BYTES ? child : undefined;
  const payload = pathLength(path) + referenceLength(inline);
  const out = new Uint8Array(rlpHeaderLength(payload) + payload);
  writeExtension(out, path, inline, inline === undefined ? keccak256(child) : child);
  return out;
}

/** Encodes a branch; `children` are the RLP of up to 16 children by nibble. */
export function encodeBranch(children: readonly (Uint8Array | undefined)[]): Uint8Array {
  let payload = 1;
  for (let i = 0; i < 16; i++) payload += Math.min(children[i]?.length ?? 1, 1 + HASH_BYTES);
  const out = new Uint8Array(rlpHeaderLength(payload) + payload);
  let at = beginBranch(out, payload);
  for (let i = 0; i < 16; i++) {
    const child = children[i];
    if (child === undefined) out[at++] = EMPTY_ITEM;
    else if (child.length < HASH_BYTES) at = writeReference(out, at, child, child, 0);
    else at = writeReference(out, at, undefined, keccak256(child), 0);
  }
  out[at] = EMPTY_ITEM;
  return out;
}

/** Writes a leaf at the start of `out` and returns its length. */
export function writeLeaf(out: Uint8Array, path: Uint8Array, value: Uint8Array): number {
  let at = writePath(out, writeRlpHeader(out, 0, RLP_LIST, leafPayload(path, value)), path, LEAF_FLAG);
  if (!isOneByteItem(value)) at = writeRlpHeader(out, at, RLP_STRING, value.length);
  out.set(value, at);
  return at + value.length;
}

/**
 * Writes an extension at the start of `out` and returns its length. Without `inline` the reference is the
 * hash.
 */
export function writeExtension(
  out: Uint8Array,
  path: Uint8Array,
  inline: Uint8Array | undefined,
  hash: Hash,
): number {
  const payload = pathLength(path) + referenceLength(inline);
  return writeReference(
    out,
    writePath(out, writeRlpHeader(out, 0, RLP_LIST, payload), path, 0),
    inline,
    hash,
    0,
  );
}

/**
 * Writes a branch's header; 16 references or empty items of `payload` bytes in all and an empty value follow.
 */
export function beginBranch(out: Uint8Array, payload: number): number {
  return writeRlpHeader(out, 0, RLP_LIST, payload);
}

/** Returns the length of a reference: to an inline child, or to its hash. */
export function referenceLength(inline: Uint8Array | undefined): number {
  return inline === undefined ? 1 + HASH_BYTES : inline.length;
}

/** Writes a reference: a child shorter than 32 bytes itself, otherwise the hash at `from` in `hashes`. */
export function writeReference(
  out: Uint8Array,
  at: number,
  inline: Uint8Array | undefined,
  hashes: Uint8Array,
  from: number,
): number {
  if (inline !== undefined) {
    out.set(inline, at);
    return at + inline.length;
  }
  out[at] = HASH_HEADER;
  copyHash(hashes, from, out, at + 1);
  return at + 1 + HASH_BYTES;
}

/** Copies one 32-byte hash; a loop beats `set` with a view at this length. */
export function copyHash(from: Uint8Array, at: number, to: Uint8Array, toAt: number): void {
  for (let i = 0; i < HASH_BYTES; i++) to[toAt + i] = from[at + i] as number; // in range: the caller's
}

function leafPayload(path: Uint8Array, value: Uint8Array): number {
  return pathLength(path) + (isOneByteItem(value) ? 1 : rlpHeaderLength(value.length) + value.length);
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
  if (bytes > 1) out[at++] = RLP_STRING + bytes;
  if ((path.length & 1) === 1) out[at++] = flag | ODD_FLAG | (path[i++] as number);
  else out[at++] = flag;
  for (; i < path.length; i += 2) out[at++] = ((path[i] as number) << 4) | (path[i + 1] as number);
  return at;
}
