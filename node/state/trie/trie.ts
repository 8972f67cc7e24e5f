/**
 * A Merkle-Patricia trie over 32-byte keys, as Ethereum hashes it, stored by path: a new version of a node
 * overwrites the old one, so nothing dead stays behind. Synchronous. Changes gather in memory; `hash` hashes
 * what has changed since the last call, `flush` gives the changed nodes to a batch.
 */

import type { Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { hashInput, keccakInput, keccakOutput } from "../../crypto/keccak.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import { copyHash, toNibbles } from "../../model/trie-node.ts";
import type { Batch } from "../../store/store.ts";
import { Changes } from "./changes.ts";
import { encodeNode } from "./codec.ts";
import { BRANCH, type Branch, hashPlace, LEAF, releaseBranch, sharedNibbles, type TrieNode } from "./node.ts";
import type { NodeSource } from "./node-source.ts";

/** Nodes above this depth stay objects: nearly every key passes them. For others that a batch has, bytes can stand. */
const KEPT_DEPTH = 4;

/** Nibbles of the current key. */
const nibbles = new Uint8Array(64);

/** One trie. */
export class Trie {
  readonly #source: NodeSource;
  readonly #changes: Changes;
  /** Path of the node that is being hashed or written. */
  readonly #path = new Uint8Array(64);
  #root: TrieNode | undefined;
  /** Hash of `#root` where that is not fresh, or of the stored root where `#root` is not loaded. */
  #rootHash: Hash;
  #dirtyBytes = 0;
  /** `#dirtyBytes` at the end of the latest `gatherSteps`. */
  #gatheredBytes = 0;

  /** The trie with this root hash, whose nodes are in `source`. */
  constructor(source: NodeSource, rootHash: Hash = EMPTY_TRIE_ROOT) {
    this.#source = source;
    this.#changes = new Changes(source);
    this.#rootHash = rootHash;
  }

  /** Bytes of the nodes that the next flush writes, about. */
  get dirtyBytes(): number {
    return this.#dirtyBytes;
  }

  /** Bytes of the nodes that have changed since the latest `gatherSteps`, about. */
  get ungatheredBytes(): number {
    return this.#dirtyBytes - this.#gatheredBytes;
  }

  /** The value under a key. Throws `StateError` `trie-damaged`, as do `put` and `delete`. */
  get(key: Uint8Array): Uint8Array | undefined {
    const path = toNibbles(key, nibbles);
    let node = this.#top();
    let depth = 0;
    while (node !== undefined) {
      if (node.kind === BRANCH) {
        const i = path[depth++] as number;
        if (((node.mask >> i) & 1) === 0) return undefined;
        node = node.children[i] ?? this.#source.load(path, depth, node.references, hashPlace(i));
        continue;
      }
      if (sharedNibbles(node.path, path, depth) < node.path.length) return undefined;
      if (node.kind === LEAF) return node.value;
      depth += node.path.length;
      node = node.child ?? this.#source.load(path, depth, node.hash, 0);
    }
    return undefined;
  }

  /**
   * The nodes from the root towards a key, as the database would hold them: they prove the value, or that there is
   * none. Nodes inside their parents are not apart; an empty trie has no nodes.
   */
  prove(key: Uint8Array): Uint8Array[] {
    this.hash();
    const path = toNibbles(key, nibbles);
    const proof: Uint8Array[] = [];
    let node = this.#top();
    let depth = 0;
    while (node !== undefined) {
      if (node.inline === undefined || depth === 0)
        proof.push(keccakInput.slice(0, encodeNode(node, keccakInput)));
      if (node.kind === LEAF) break;
      if (node.kind === BRANCH) {
        const i = path[depth++] as number;
        if (((node.mask >> i) & 1) === 0) break;
        node = node.children[i] ?? this.#source.load(path, depth, node.references, hashPlace(i));
        continue;
      }
      if (sharedNibbles(node.path, path, depth) < node.path.length) break;
      depth += node.path.length;
      node = node.child ?? this.#source.load(path, depth, node.hash, 0);
    }
    return proof;
  }

  /**
   * Sets the value under a key, which must not be empty nor change later; returns the one before. Where that is `expected`,
   * its leaf need not be read.
   */
  put(key: Uint8Array, value: Uint8Array, expected?: Uint8Array): Uint8Array | undefined {
    this.#root = this.#changes.insert(this.#top(), toNibbles(key, nibbles), value, expected);
    return this.#changes.previous;
  }

  /** Removes a key; returns its value, `undefined` when there was none. `expected` as for `put`. */
  delete(key: Uint8Array, expected?: Uint8Array): Uint8Array | undefined {
    this.#root = this.#changes.remove(this.#top(), toNibbles(key, nibbles), expected);
    if (this.#root === undefined) this.#rootHash = EMPTY_TRIE_ROOT;
    return this.#changes.previous;
  }

  /** The root hash with all changes. */
  hash(): Hash {
    if (this.#root?.fresh === true) {
      this.#hashNode(this.#root, 0);
      this.#rootHash = new Uint8Array(keccakOutput);
    }
    return this.#rootHash;
  }

  /** Does most of the work of the next `hash` in steps; the trie must not be used until the last one. */
  *hashSteps(): Generator<undefined> {
    if (this.#root?.fresh !== true || this.#root.kind !== BRANCH) return;
    for (const [i, child] of this.#root.children.entries()) {
      if (child?.fresh !== true || child.kind !== BRANCH) continue;
      for (const [j, grandchild] of child.children.entries()) {
        if (grandchild?.fresh !== true) continue;
        this.#path[0] = i;
        this.#path[1] = j;
        this.#hashInto(grandchild, 2, child.references, hashPlace(j));
        yield;
      }
    }
  }

  /**
   * Gives changed nodes, but for the topmost ones above others, to the batch of the next flush, in steps as `flushSteps`.
   * From then on the source must find them in the batch. They go to it again when they change again.
   */
  *gatherSteps(batch: Batch): Generator<undefined> {
    yield* this.#staleSteps(batch);
    this.#gatheredBytes = this.#dirtyBytes;
    if (this.#root?.kind === BRANCH) yield* this.#gatherBelow(this.#root, 0, batch);
  }

  /** Writes all changes to the batch at once. */
  flush(batch: Batch): void {
    for (const _ of this.flushSteps(batch));
  }

  /**
   * The same in steps of some hundred nodes; the trie must not be used until the last one. Deletions go before
   * puts: a path may have lost one node and got another.
   */
  *flushSteps(batch: Batch): Generator<undefined> {
    yield* this.#staleSteps(batch);
    this.#dirtyBytes = 0;
    this.#gatheredBytes = 0;
    const root = this.#root;
    if (root?.dirty !== true) return;
    yield* this.#flushBelow(root, 0, batch);
    this.#flushNode(root, 0, this.#rootHash, 0, batch);
  }

  *#staleSteps(batch: Batch): Generator<undefined> {
    this.hash();
    for (const key of this.#changes.stale.values()) batch.delete(key);
    this.#changes.stale.clear();
    yield;
  }

  /** Gathers the dirty nodes below a branch: leaves, and all that lies below the topmost levels. */
  *#gatherBelow(node: Branch, depth: number, batch: Batch): Generator<undefined> {
    for (let i = 0; i < 16; i++) {
      const child = node.children[i];
      if (child?.dirty !== true) continue;
      this.#path[depth] = i;
      if (child.kind === LEAF || depth + 1 >= KEPT_DEPTH) {
        this.#flushNode(child, depth + 1, node.references, hashPlace(i), batch);
        if (isReplaceable(child, depth + 1)) replaceChild(node, i, child);
      } else if (child.kind === BRANCH) yield* this.#gatherBelow(child, depth + 1, batch);
    }
    yield;
  }

  /** Writes the dirty grandchildren of a node one by one. */
  *#flushBelow(node: TrieNode, depth: number, batch: Batch): Generator<undefined> {
    if (node.kind !== BRANCH) return;
    for (let i = 0; i < 16; i++) {
      const child = node.children[i];
      if (child?.dirty !== true) continue;
      this.#path[depth] = i;
      if (depth === 0) {
        yield* this.#flushBelow(child, 1, batch);
      } else {
        this.#flushNode(child, depth + 1, node.references, hashPlace(i), batch);
        yield;
      }
    }
  }

  #top(): TrieNode | undefined {
    if (this.#root === undefined && !equalBytes(this.#rootHash, EMPTY_TRIE_ROOT)) {
      this.#root = this.#source.load(this.#path, 0, this.#rootHash, 0);
    }
    return this.#root;
  }

  /** Hashes a fresh node after its fresh children; leaves its encoding in the hash input, its hash in the output. */
  #hashNode(node: TrieNode, depth: number): number {
    const path = this.#path;
    if (node.kind === BRANCH) {
      for (let i = 0; i < 16; i++) {
        const child = node.children[i];
        if (child?.fresh !== true) continue;
        path[depth] = i;
        this.#hashInto(child, depth + 1, node.references, hashPlace(i));
      }
    } else if (node.kind !== LEAF && node.child?.fresh === true) {
      path.set(node.path, depth);
      this.#hashInto(node.child, depth + node.path.length, node.hash, 0);
    }
    const length = encodeNode(node, keccakInput);
    node.fresh = false;
    if (length >= 32 || depth === 0) hashInput(length);
    else if (node.stored) {
      this.#changes.drop(path, depth);
      node.stored = false;
    }
    if (!node.counted) {
      node.counted = true;
      this.#dirtyBytes += length;
    }
    return length;
  }

  #hashInto(child: TrieNode, depth: number, hashes: Uint8Array, at: number): void {
    const length = this.#hashNode(child, depth);
    if (length < 32) {
      child.inline = keccakInput.slice(0, length);
    } else {
      child.inline = undefined;
      copyHash(keccakOutput, 0, hashes, at);
    }
  }

  /** Writes a dirty node after its dirty children, and releases children that bytes can replace. */
  #flushNode(node: TrieNode, depth: number, hash: Hash, hashAt: number, batch: Batch): void {
    const path = this.#path;
    if (node.kind === BRANCH) {
      for (let i = 0; i < 16; i++) {
        const child = node.children[i];
        if (child === undefined) continue;
        path[depth] = i;
        if (child.dirty) this.#flushNode(child, depth + 1, node.references, hashPlace(i), batch);
        if (isReplaceable(child, depth + 1)) replaceChild(node, i, child);
      }
    } else if (node.kind !== LEAF && node.child !== undefined) {
      const below = depth + node.path.length;
      path.set(node.path, depth);
      if (node.child.dirty) this.#flushNode(node.child, below, node.hash, 0, batch);
      if (isReplaceable(node.child, below)) node.child = undefined;
    }
    node.dirty = false;
    node.counted = false;
    if (node.inline !== undefined && depth > 0) return;
    const encoded = keccakInput.subarray(0, encodeNode(node, keccakInput));
    batch.put(this.#source.key(path, depth), encoded);
    node.stored = true;
    if (node.kind !== LEAF) this.#source.remember(path, depth, hash, hashAt, encoded);
  }
}

/** Leaves the hash of a child alone: its bytes are elsewhere. */
function replaceChild(node: Branch, i: number, child: TrieNode): void {
  node.children[i] = undefined;
  if (child.kind === BRANCH) releaseBranch(child);
}

/** True for a clean node that is not kept as an object: it can be read again where it was written. */
function isReplaceable(node: TrieNode, depth: number): boolean {
  return node.inline === undefined && depth >= KEPT_DEPTH;
}
