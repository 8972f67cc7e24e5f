/** Checks rows of a trie database in the order of their paths. */
import type { Hash } from "../../bytes/brands.ts";
import { hashInput, keccakInput, keccakOutput } from "../../crypto/keccak.ts";
import { StateError } from "../error.ts";
import { decodeNode } from "./codec.ts";
import { BRANCH, hashPlace, LEAF, sameHash, type TrieNode } from "./node.ts";

/** A node that must come, with the hash that its parent holds. */
interface Expected {
  readonly path: Uint8Array;
  readonly hash: Hash;
}

/**
 * Checks the rows of one stored trie against its root as they come in the order of their paths, which is that of
 * a walk from the root: each must fit the hash that its parent holds, and none may be missing.
 */
export class RowCheck {
  /** The next one last. */
  readonly #expected: Expected[];

  constructor(root: Hash) {
    this.#expected = [{ path: new Uint8Array(0), hash: root }];
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
    const order = next === undefined ? 1 : Buffer.compare(next.path, path);
    if (next === undefined || order > 0) return undefined;
    if (order < 0) throw damagedError("is missing", next.path);
    if (row.length > keccakInput.length) throw damagedError("is too long", path);
    keccakInput.set(row);
    hashInput(row.length);
    if (!sameHash(keccakOutput, 0, next.hash, 0)) throw damagedError("fails its hash", path);
    const node = decodeNode(row, 0);
    this.#expected.pop();
    this.#expectChildren(node, path);
    return node;
  }

  /** Throws `StateError` `trie-damaged` when rows are missing. */
  end(): void {
    const next = this.#expected.at(-1);
    if (next !== undefined) throw damagedError("is missing", next.path);
  }

  /** Children inside their parents have no rows, and neither have theirs. */
  #expectChildren(node: TrieNode, path: Uint8Array): void {
    if (node.kind === LEAF) return;
    if (node.kind !== BRANCH) {
      if (node.child === undefined) this.#expect(path, node.path, node.hash);
      return;
    }
    for (let i = 15; i >= 0; i--) {
      const hasRow = ((node.mask >> i) & 1) === 1 && node.children[i] === undefined;
      if (hasRow)
        this.#expect(path, Uint8Array.of(i), node.references.slice(hashPlace(i), hashPlace(i) + 32));
    }
  }

  #expect(parent: Uint8Array, further: Uint8Array, hash: Hash): void {
    const path = new Uint8Array(parent.length + further.length);
    path.set(parent);
    path.set(further, parent.length);
    this.#expected.push({ path, hash });
  }
}

function damagedError(what: string, path: Uint8Array): StateError {
  const nibbles = Array.from(path, (nibble) => nibble.toString(16)).join("");
  return new StateError("trie-damaged", `trie node ${nibbles} ${what}`);
}
