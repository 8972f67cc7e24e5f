/** Clean nodes of a trie, from the slab or the store. */
import type { Hash } from "../../bytes/brands.ts";
import { bareHex } from "../../bytes/hex.ts";
import { hashInput, keccakInput, keccakOutput } from "../../crypto/keccak.ts";
import { writeLeaf } from "../../model/trie-node.ts";
import type { Rows } from "../../store/store.ts";
import { StateError } from "../error.ts";
import { decodeNode } from "./codec.ts";
import { LEAF, Leaf, markStored, sameHash, type TrieNode } from "./node.ts";
import type { Slab } from "./slab.ts";

/** Nodes of one trie by their path: from the slab, else from the rows below a prefix; always hash-checked. */
export class NodeSource {
  readonly #rows: Rows;
  readonly #prefix: Uint8Array;
  readonly #slab: Slab | undefined;
  readonly #prefixTag: number;

  constructor(rows: Rows, prefix: Uint8Array, slab: Slab | undefined) {
    this.#rows = rows;
    this.#prefix = prefix;
    this.#slab = slab;
    let tag = 0x811c9dc5;
    for (const byte of prefix) tag = Math.imul(tag ^ byte, 0x01000193);
    this.#prefixTag = tag;
  }

  /**
   * The node at the first `depth` nibbles of `path`, which must have the hash at `hashAt` of `hash`. Throws
   * `StateError` `trie-damaged` when it is missing or another one. With `value`, the one that a caller expects at the
   * end of `path` (64 nibbles), a leaf whose hash these two give is not read.
   */
  load(path: Uint8Array, depth: number, hash: Hash, hashAt: number, value?: Uint8Array): TrieNode {
    const tag = this.#slab === undefined ? 0 : this.#tag(path, depth);
    if (this.#slab !== undefined) {
      const at = this.#slab.find(tag, hash, hashAt);
      if (at >= 0) return decodeNode(this.#slab.bytes, at);
    }
    if (value !== undefined) {
      const rest = path.slice(depth);
      hashInput(writeLeaf(keccakInput, rest, value));
      if (sameHash(keccakOutput, 0, hash, hashAt)) return markStored(new Leaf(rest, value));
    }
    const node = this.#rows.get(this.key(path, depth));
    if (node === undefined) throw this.#damageError("is missing", path, depth);
    if (node.length > keccakInput.length) throw this.#damageError("is too long", path, depth);
    keccakInput.set(node);
    hashInput(node.length);
    if (!sameHash(keccakOutput, 0, hash, hashAt)) throw this.#damageError("fails its hash", path, depth);
    const decoded = decodeNode(node, 0);
    if (decoded.kind !== LEAF) this.#slab?.put(tag, hash, hashAt, node, node.length);
    return decoded;
  }

  /** Keeps the newest version of a node in the slab. */
  remember(path: Uint8Array, depth: number, hash: Hash, hashAt: number, node: Uint8Array): void {
    this.#slab?.put(this.#tag(path, depth), hash, hashAt, node, node.length);
  }

  /** The key of the row of a node. */
  key(path: Uint8Array, depth: number): Uint8Array {
    const prefix = this.#prefix;
    const key = new Uint8Array(prefix.length + depth);
    key.set(prefix);
    for (let i = 0; i < depth; i++) key[prefix.length + i] = path[i] as number;
    return key;
  }

  #tag(path: Uint8Array, depth: number): number {
    let tag = this.#prefixTag;
    for (let i = 0; i < depth; i++) tag = Math.imul(tag ^ ((path[i] as number) + 1), 0x01000193);
    return Math.imul(tag ^ (tag >>> 15), 0x2c1b3c6d) >>> 0;
  }

  #damageError(what: string, path: Uint8Array, depth: number): StateError {
    const nibbles = Array.from(path.subarray(0, depth), (nibble) => nibble.toString(16)).join("");
    const where = bareHex(this.#prefix.subarray(1));
    return new StateError("trie-damaged", `trie node ${where}/${nibbles} ${what}`);
  }
}
