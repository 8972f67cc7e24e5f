/**
 * Trie nodes in memory. Only changed nodes and the topmost levels are objects; every other node is bytes in the
 * slab or on disk and is decoded when a key passes it. A path is one nibble a byte.
 */
import type { Hash } from "../../bytes/brands.ts";

/** Kind of a node that ends a key. */
export const LEAF = 0;
/** Kind of a node with the shared part of several paths. */
export const EXTENSION = 1;
/** Kind of a node with a child for each next nibble. */
export const BRANCH = 2;

/** A path that is still empty. Never written to. */
export const NO_PATH = new Uint8Array(0);

/** The end of one key: the rest of its path and the value. */
export class Leaf {
  readonly kind = LEAF;
  /** Changed since it was last hashed. */
  fresh = true;
  /** Changed since it was last written. */
  dirty = true;
  /** Counted among the dirty bytes. */
  counted = false;
  /** The database holds a row at this node's path. */
  stored = false;
  /** The encoding, where it is shorter than 32 bytes and thus stands in the parent. */
  inline: Uint8Array | undefined = undefined;
  path: Uint8Array;
  value: Uint8Array;

  constructor(path: Uint8Array, value: Uint8Array) {
    this.path = path;
    this.value = value;
  }
}

/** A path that all keys below share, above a branch. */
export class Extension {
  readonly kind = EXTENSION;
  fresh = true;
  dirty = true;
  counted = false;
  stored = false;
  inline: Uint8Array | undefined = undefined;
  path: Uint8Array;
  /** `undefined` while it is only known by its hash. */
  child: TrieNode | undefined;
  /** Hash of the child; means nothing where the child stands inline or is fresh. */
  readonly hash: Hash;

  constructor(path: Uint8Array, child: TrieNode | undefined, hash: Hash) {
    this.path = path;
    this.child = child;
    this.hash = hash;
  }
}

/** Bytes of a child's hash behind the RLP header of one. */
const REFERENCE_BYTES = 33;
/** Sixteen hashes of nothing behind their headers. */
const NO_REFERENCES: Uint8Array = Uint8Array.from({ length: 16 * REFERENCE_BYTES }, (_, at) =>
  at % REFERENCE_BYTES === 0 ? 0xa0 : 0,
);

/** Place of the hash of child `i` among the references of a branch. */
export function hashPlace(i: number): number {
  return i * REFERENCE_BYTES + 1;
}

/** Up to sixteen children by their next nibble. All keys have one length, so a branch never holds a value. */
export class Branch {
  readonly kind = BRANCH;
  fresh = true;
  dirty = true;
  counted = false;
  stored = false;
  inline: Uint8Array | undefined = undefined;
  /** Bit i: there is a child i. */
  mask = 0;
  /** `undefined` for a child that is not there or only known by its hash. */
  readonly children: (TrieNode | undefined)[] = NO_CHILDREN.slice();
  /**
   * The hashes of sixteen children as RLP (`hashPlace`), the middle of a branch that has all of them. One means nothing where
   * the child is absent, stands inline or is fresh.
   */
  readonly references: Uint8Array = NO_REFERENCES.slice();
}

const NO_CHILDREN: (TrieNode | undefined)[] = Array.from({ length: 16 }, () => undefined);

/** A node of any kind. */
export type TrieNode = Leaf | Extension | Branch;

/** Branches that nothing refers to: their 528 bytes outside the heap are dear to get and to give back. */
const spares: Branch[] = [];
const MAX_SPARES = 4_096;

/** Returns a branch without children. */
export function takeBranch(): Branch {
  return spares.pop() ?? new Branch();
}

/** Keeps a branch for `takeBranch`, which nothing may refer to any more. */
export function releaseBranch(branch: Branch): void {
  if (spares.length === MAX_SPARES) return;
  branch.fresh = true;
  branch.dirty = true;
  branch.counted = false;
  branch.stored = false;
  branch.inline = undefined;
  branch.mask = 0;
  branch.children.fill(undefined);
  spares.push(branch);
}

/** Marks a node as changed. */
export function touch(node: TrieNode): void {
  node.fresh = true;
  node.dirty = true;
}

/** Marks a node as just read from where it is stored. */
export function markStored<Node extends TrieNode>(node: Node): Node {
  node.fresh = false;
  node.dirty = false;
  node.stored = true;
  return node;
}

/** True when the 32 bytes at both places are the same. */
export function sameHash(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number): boolean {
  for (let i = 0; i < 32; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}

/** Returns the number of nibbles that `path` and `key` share from `depth` on. */
export function sharedNibbles(path: Uint8Array, key: Uint8Array, depth: number): number {
  let shared = 0;
  while (shared < path.length && path[shared] === key[depth + shared]) shared++;
  return shared;
}

/** The 32-byte key of 64 nibbles. */
export function toKey(nibbles: ArrayLike<number>): Uint8Array {
  const key = new Uint8Array(32);
  for (let i = 0; i < 32; i++) key[i] = ((nibbles[2 * i] as number) << 4) | (nibbles[2 * i + 1] as number);
  return key;
}
