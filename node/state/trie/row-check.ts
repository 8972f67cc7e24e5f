/** Checks rows of a trie database in the order of their paths. */
import type { Hash } from "../../bytes/brands.ts";
import { bareHex } from "../../bytes/hex.ts";
import { hashInput, keccakInput, keccakOutput } from "../../crypto/keccak.ts";
import { StateError } from "../error.ts";
import { decodeNode } from "./codec.ts";
import { BRANCH, hashPlace, LEAF, NO_PATH, sameHash, type TrieNode, toKey } from "./node.ts";

/** One key of a stored trie with its value. */
export interface TrieLeaf {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A row that must come, with the hash that its parent holds; or a leaf that stands inside its parent. */
interface Expected {
  readonly path: Uint8Array;
  /** Bytes with the hash at `hashAt`; undefined for a leaf. */
  readonly hashes: Uint8Array | undefined;
  readonly hashAt: number;
  readonly leaf: TrieLeaf | undefined;
}

/** Options of a check. */
export interface RowCheckOptions {
  /** Path of the root, for a part of a trie. */
  readonly path?: Uint8Array;
  /** Hash of the account whose storage it is, for errors. */
  readonly owner?: Hash;
  /** Receives the leaves in the order of their keys: with each row those up to the next one. */
  readonly leaves?: TrieLeaf[];
}

/**
 * Checks the rows of one stored trie against its root as they come in the order of their paths, which is that of
 * a walk from the root: each must fit the hash that its parent holds, and none may be missing.
 */
export class RowCheck {
  /** The next one last, which is a row. */
  readonly #expected: Expected[] = [];
  readonly #owner: Hash | undefined;
  readonly #leaves: TrieLeaf[] | undefined;

  /** `root` is undefined for a trie without nodes. */
  constructor(root: Hash | undefined, { path = NO_PATH, owner, leaves }: RowCheckOptions = {}) {
    if (root !== undefined) this.#expected.push({ path, hashes: root, hashAt: 0, leaf: undefined });
    this.#owner = owner;
    this.#leaves = leaves;
  }

  /** Rows that are known to come. */
  get pending(): number {
    return this.#expected.length;
  }

  /**
   * The node of a row, or `undefined` for a row that does not belong to the trie. Throws `StateError`
   * `trie-damaged` when one before it is missing, or when it fails its hash.
   */
  take(path: Uint8Array, row: Uint8Array): TrieNode | undefined {
    const next = this.#expected.at(-1);
    if (next?.hashes === undefined) return undefined;
    const order = Buffer.compare(next.path, path);
    if (order > 0) return undefined;
    if (order < 0) throw this.#damageError("is missing", next.path);
    if (row.length > keccakInput.length) throw this.#damageError("is too long", path);
    keccakInput.set(row);
    hashInput(row.length);
    if (!sameHash(keccakOutput, 0, next.hashes, next.hashAt)) throw this.#damageError("fails its hash", path);
    const node = decodeNode(row, 0);
    this.#expected.pop();
    if (node.kind === LEAF) this.#leaves?.push(leafAt(path, node));
    else this.#expectChildren(node, path);
    this.#takeLeaves();
    return node;
  }

  /** Throws `StateError` `trie-damaged` when rows are missing. */
  end(): void {
    const next = this.#expected.at(-1);
    if (next !== undefined) throw this.#damageError("is missing", next.path);
  }

  /** Children inside their parents have no rows, and neither have theirs. */
  #expectChildren(node: TrieNode, path: Uint8Array): void {
    if (node.kind === LEAF) {
      if (this.#leaves !== undefined)
        this.#expected.push({ path, hashes: undefined, hashAt: 0, leaf: leafAt(path, node) });
    } else if (node.kind !== BRANCH) {
      this.#expect(joinPaths(path, node.path), node.child, node.hash, 0);
    } else {
      for (let i = 15; i >= 0; i--) {
        if (((node.mask >> i) & 1) === 1)
          this.#expect(childPath(path, i), node.children[i], node.references, hashPlace(i));
      }
    }
  }

  #expect(path: Uint8Array, inline: TrieNode | undefined, hashes: Uint8Array, hashAt: number): void {
    if (inline !== undefined) this.#expectChildren(inline, path);
    else this.#expected.push({ path, hashes, hashAt, leaf: undefined });
  }

  /** Leaves inside a node come before the rows behind it. */
  #takeLeaves(): void {
    for (let next = this.#expected.at(-1); next?.leaf !== undefined; next = this.#expected.at(-1)) {
      this.#leaves?.push(next.leaf);
      this.#expected.pop();
    }
  }

  #damageError(what: string, path: Uint8Array): StateError {
    const nibbles = Array.from(path, (nibble) => nibble.toString(16)).join("");
    const where = this.#owner === undefined ? "" : `${bareHex(this.#owner)}/`;
    return new StateError("trie-damaged", `trie node ${where}${nibbles} ${what}`);
  }
}

/** Path of a leaf that is being read: keys have 64 nibbles. */
const nibbles = new Uint8Array(64);

function leafAt(path: Uint8Array, leaf: { readonly path: Uint8Array; readonly value: Uint8Array }): TrieLeaf {
  nibbles.set(path);
  nibbles.set(leaf.path, path.length);
  return { key: toKey(nibbles), value: leaf.value };
}

function childPath(path: Uint8Array, nibble: number): Uint8Array {
  const child = new Uint8Array(path.length + 1);
  child.set(path);
  child[path.length] = nibble;
  return child;
}

function joinPaths(path: Uint8Array, further: Uint8Array): Uint8Array {
  const joined = new Uint8Array(path.length + further.length);
  joined.set(path);
  joined.set(further, path.length);
  return joined;
}
