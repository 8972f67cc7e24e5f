/**
 * Trie nodes as the Go node stores them. With live pruning (KIP-111) a reference to a node is its hash and a counter of 7
 * bytes, and an account names its storage in the same way (`storage/statedb/hasher.go@v2.2.2`); without it nodes are as
 * the trie hashes them.
 */
import { encodeRlp, encodeRlpList, itemAt, listItems, type RlpItem } from "../bytes/rlp.ts";
import {
  RLP_LIST,
  RLP_STRING,
  readRlpHeader,
  rlpError,
  rlpHeaderLength,
  rlpPayload,
  writeRlpHeader,
} from "../bytes/rlp-header.ts";

/** A branch or an extension. */
export interface InnerNode {
  readonly isLeaf: false;
  readonly isBranch: boolean;
  /** Nibbles before the child of an extension. */
  readonly path: Uint8Array;
  /** The bytes in which the node stands. */
  readonly bytes: Uint8Array;
  /** Places in the bytes of the items that are its children; 0 where there is none. */
  readonly children: readonly number[];
}

/** A leaf: the rest of its path as nibbles, and its value as stored. */
export interface LeafNode {
  readonly isLeaf: true;
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

const HASH_BYTES = 32;
const COUNTED_BYTES = HASH_BYTES + 7;
const EMPTY_ITEM = RLP_STRING;
/** First byte of the item of a hash, and of one with a counter. */
const HASH_ITEM = RLP_STRING + HASH_BYTES;
const COUNTED_ITEM = RLP_STRING + COUNTED_BYTES;
/** Items of a branch: 16 children and a value, which the chain's tries never use. */
const BRANCH_ITEMS = 17;
const LEAF_FLAG = 0x20;
const NO_PATH = new Uint8Array(0);
/** An account with a storage root is longer, the value of a slot is shorter. */
const MIN_ROOTED_ACCOUNT = 1 + 2 * HASH_BYTES;

/** Reads a stored node. Throws `BytesError` `bad-rlp`, or `RangeError` for what is no node. */
export function readGoNode(stored: Uint8Array): InnerNode | LeafNode {
  readRlpHeader(stored, 0, stored.length);
  const after = stored.length - rlpPayload.end;
  if (after > 0) throw rlpError(`${after} bytes after the node`);
  return readNodeAt(stored, 0);
}

/** Reads the node inside another one that stands at `at`: too short for counters. Throws the same. */
export function readNodeAt(bytes: Uint8Array, at: number): InnerNode | LeafNode {
  const places = itemPlaces(bytes, at);
  if (places.length === BRANCH_ITEMS) return branchOf(bytes, places);
  const [head, second] = places;
  if (places.length !== 2 || head === undefined || second === undefined)
    throw new RangeError(`a trie node of ${places.length} items`);
  const compact = stringAt(bytes, head);
  const path = readPath(compact);
  if (((compact[0] ?? 0) & LEAF_FLAG) !== 0) return { isLeaf: true, path, value: stringAt(bytes, second) };
  return { isLeaf: false, isBranch: false, path, bytes, children: [second] };
}

/** The byte string at `at`. The constructor makes a view faster than `subarray`, most of all of a buffer of the engine. */
export function stringAt(bytes: Uint8Array, at: number): Uint8Array {
  readRlpHeader(bytes, at, bytes.length);
  const { start, end } = rlpPayload;
  if ((bytes[at] as number) >= RLP_LIST) throw rlpError("a list where a byte string is wanted", at); // in range: a header
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

/** The places of the items of the list at `at`. */
function itemPlaces(bytes: Uint8Array, at: number): number[] {
  if ((bytes[at] ?? 0) < RLP_LIST) throw rlpError("a byte string where a list is wanted", at);
  readRlpHeader(bytes, at, bytes.length);
  const { start, end } = rlpPayload;
  const places: number[] = [];
  for (let next = start; next < end; next = rlpPayload.end) {
    places.push(next);
    readRlpHeader(bytes, next, end);
  }
  return places;
}

function branchOf(bytes: Uint8Array, children: number[]): InnerNode {
  children.pop();
  for (let i = 0; i < children.length; i++) {
    if (bytes[children[i] as number] === EMPTY_ITEM) children[i] = 0; // in range: loop bound
  }
  return { isLeaf: false, isBranch: true, path: NO_PATH, bytes, children };
}

function readPath(compact: Uint8Array): Uint8Array {
  const first = compact[0] ?? 0;
  const odd = (first & 0x10) !== 0;
  const path = new Uint8Array(Math.max(0, compact.length - 1) * 2 + (odd ? 1 : 0));
  let at = 0;
  if (odd) path[at++] = first & 15;
  for (let i = 1; i < compact.length; i++) {
    const byte = compact[i] as number; // in range: loop bound
    path[at++] = byte >> 4;
    path[at++] = byte & 15;
  }
  return path;
}

/**
 * Writes a stored node, which `readGoNode` has read, as the trie hashes it: without counters. Returns its length. Throws
 * `RangeError` when it does not fit.
 */
export function writeHashedForm(stored: Uint8Array, node: InnerNode | LeafNode, out: Uint8Array): number {
  if (!node.isLeaf) return writeUncounted(node, out);
  const value = plainAccount(node.value);
  if (value === node.value) return copyAll(stored, out);
  const [head, second] = itemPlaces(stored, 0); // two: `readGoNode` has read them
  return copyAll(encodeRlpList([stored.subarray(head, second), encodeRlp(value)]), out);
}

function copyAll(bytes: Uint8Array, out: Uint8Array): number {
  out.set(bytes);
  return bytes.length;
}

/** Writes a branch or an extension without the counters of its references. */
function writeUncounted({ bytes: stored, children }: InnerNode, out: Uint8Array): number {
  let counted = 0;
  for (const at of children) if (at !== 0 && stored[at] === COUNTED_ITEM) counted++;
  if (counted === 0) return copyAll(stored, out);
  readRlpHeader(stored, 0, stored.length);
  let from = rlpPayload.start;
  const length = stored.length - from - counted * (COUNTED_BYTES - HASH_BYTES);
  if (rlpHeaderLength(length) + length > out.length) throw new RangeError("a trie node that is too long");
  let to = writeRlpHeader(out, 0, RLP_LIST, length);
  for (const at of children) {
    if (at === 0 || stored[at] !== COUNTED_ITEM) continue;
    const hashAt = to + at - from;
    const stop = at + 1 + HASH_BYTES;
    while (from < stop) out[to++] = stored[from++] as number; // in range: the item ends behind it
    out[hashAt] = HASH_ITEM;
    from = at + 1 + COUNTED_BYTES;
  }
  while (from < stored.length) out[to++] = stored[from++] as number; // in range: loop bound
  return to;
}

function isCounted({ isList, payload }: RlpItem): boolean {
  return !isList && payload.length === COUNTED_BYTES;
}

/** The RLP of a reference without its counter, and of any other item as it is. */
function plainReference(item: RlpItem): Uint8Array {
  return isCounted(item) ? encodeRlp(item.payload.subarray(0, HASH_BYTES)) : item.raw;
}

/** Returns an account's value without the counter of its storage root, any other value itself. */
export function plainAccount(value: Uint8Array): Uint8Array {
  const items = rootedItems(value);
  if (items === undefined || !items.some(isCounted)) return value;
  const list = encodeRlpList(items.map(plainReference));
  const plain = new Uint8Array(1 + list.length);
  plain[0] = value[0] ?? 0;
  plain.set(list, 1);
  return plain;
}

/** Returns the reference to the storage trie in an account's value as stored; undefined in the short form. */
export function storageReference(value: Uint8Array): Uint8Array | undefined {
  return rootedItems(value)?.[1]?.payload;
}

/** The items of an account in the long form: a list of balance and the like, storage root, code hash, code info. */
function rootedItems(value: Uint8Array): readonly RlpItem[] | undefined {
  if (value.length <= MIN_ROOTED_ACCOUNT || (value[1] as number) < RLP_LIST) return undefined;
  const items = listItems(itemAt(value, 1));
  return items[0]?.isList === true ? items : undefined;
}
