/**
 * Trie nodes as the Go node stores them. With live pruning (KIP-111) a reference to a node is its hash and a counter of 7
 * bytes, and an account names its storage in the same way (`storage/statedb/hasher.go@v2.2.2`); without it nodes are as
 * the trie hashes them.
 */
import { decodeRlp, encodeRlp, encodeRlpList, itemAt, listItems, type RlpItem } from "../bytes/rlp.ts";
import { RLP_LIST } from "../bytes/rlp-header.ts";

/** A branch or an extension. `children` are references to nodes, nodes inside this one, or undefined. */
export interface InnerNode {
  readonly isLeaf: false;
  readonly isBranch: boolean;
  /** Nibbles before the child of an extension. */
  readonly path: Uint8Array;
  readonly children: readonly (RlpItem | undefined)[];
}

/** A leaf: the rest of its path as nibbles, and its value as stored. */
export interface LeafNode {
  readonly isLeaf: true;
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

/** A stored node, and its bytes as the trie hashes them: the very same where it has no counters. */
export interface StoredNode {
  readonly node: InnerNode | LeafNode;
  readonly hashed: Uint8Array;
}

const HASH_BYTES = 32;
const COUNTED_BYTES = HASH_BYTES + 7;
/** Items of a branch: 16 children and a value, which the chain's tries never use. */
const BRANCH_ITEMS = 17;
const LEAF_FLAG = 0x20;
const NO_PATH = new Uint8Array(0);
/** An account with a storage root is longer, the value of a slot is shorter. */
const MIN_ROOTED_ACCOUNT = 1 + 2 * HASH_BYTES;

/** Reads a stored node. Throws `BytesError` `bad-rlp`, or `RangeError` for what is no node. */
export function readGoNode(stored: Uint8Array): StoredNode {
  const items = listItems(decodeRlp(stored));
  return { node: nodeOf(items), hashed: hashedForm(stored, items) };
}

/** Reads a node inside another one: too short for counters. Throws the same. */
export function readInlineNode(item: RlpItem): InnerNode | LeafNode {
  return nodeOf(listItems(item));
}

function nodeOf(items: readonly RlpItem[]): InnerNode | LeafNode {
  if (items.length === BRANCH_ITEMS) {
    const children = items.slice(0, 16).map((each) => (each.payload.length === 0 ? undefined : each));
    return { isLeaf: false, isBranch: true, path: NO_PATH, children };
  }
  const [head, second] = items;
  if (items.length !== 2 || head === undefined || second === undefined)
    throw new RangeError(`a trie node of ${items.length} items`);
  const path = readPath(head.payload);
  if (isLeafHead(head)) return { isLeaf: true, path, value: second.payload };
  return { isLeaf: false, isBranch: false, path, children: [second] };
}

function isLeafHead({ payload }: RlpItem): boolean {
  return ((payload[0] ?? 0) & LEAF_FLAG) !== 0;
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

function hashedForm(stored: Uint8Array, items: readonly RlpItem[]): Uint8Array {
  if (items.length === BRANCH_ITEMS)
    return items.some(isCounted) ? encodeRlpList(items.map(plainReference)) : stored;
  const [head, second] = items as [RlpItem, RlpItem]; // two: `nodeOf` has read them
  if (!isLeafHead(head))
    return isCounted(second) ? encodeRlpList([head.raw, plainReference(second)]) : stored;
  const value = plainAccount(second.payload);
  return value === second.payload ? stored : encodeRlp([head.payload, value]);
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
