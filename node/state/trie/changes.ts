/** Changed nodes of a trie in memory. */
import { equalBytes } from "../../bytes/compare.ts";
import { bareHex, mapKey } from "../../bytes/hex.ts";
import { StateError } from "../error.ts";
import {
  BRANCH,
  type Branch,
  EXTENSION,
  Extension,
  hashPlace,
  LEAF,
  Leaf,
  sharedNibbles,
  type TrieNode,
  takeBranch,
  touch,
} from "./node.ts";
import type { NodeSource } from "./node-source.ts";

/**
 * Puts and deletes on a tree of nodes. Rows whose path no longer holds a node are gathered in `stale`: the path
 * of a removed leaf, of a leaf or extension that merged upward, of a node that became short enough to stand in
 * its parent. A node replaced at the same path needs nothing: the new row overwrites the old one.
 */
export class Changes {
  readonly source: NodeSource;
  /** Keys of rows to delete, by `mapKey`. */
  readonly stale = new Map<string, Uint8Array>();
  /** The value that the newest call found under its key. */
  previous: Uint8Array | undefined;
  /** The value that the caller of the newest call expects under its key. */
  #expected: Uint8Array | undefined;
  #changed = false;

  constructor(source: NodeSource) {
    this.source = source;
  }

  /** The tree with the value under the key, which is 64 nibbles; `expected` may be the value before. */
  insert(
    root: TrieNode | undefined,
    key: Uint8Array,
    value: Uint8Array,
    expected: Uint8Array | undefined,
  ): TrieNode {
    this.previous = undefined;
    this.#expected = expected;
    this.#changed = false;
    return this.#insert(root, key, 0, value);
  }

  /** The tree without the key; `undefined` when nothing is left. */
  remove(
    root: TrieNode | undefined,
    key: Uint8Array,
    expected: Uint8Array | undefined,
  ): TrieNode | undefined {
    this.previous = undefined;
    this.#expected = expected;
    this.#changed = false;
    return root && this.#remove(root, key, 0);
  }

  /** Remembers that the row of this path must go with the next flush. */
  drop(path: Uint8Array, depth: number): void {
    const key = this.source.key(path, depth);
    this.stale.set(mapKey(key), key);
  }

  #insert(node: TrieNode | undefined, key: Uint8Array, depth: number, value: Uint8Array): TrieNode {
    if (node === undefined) {
      this.#changed = true;
      return new Leaf(key.slice(depth), value);
    }
    if (node.kind === BRANCH) {
      const i = key[depth] as number;
      const child = this.#insert(this.#childOf(node, key, depth, i), key, depth + 1, value);
      if (this.#changed) {
        node.children[i] = child;
        node.mask |= 1 << i;
        touch(node);
      }
      return node;
    }
    const shared = sharedNibbles(node.path, key, depth);
    if (shared < node.path.length) return this.#split(node, key, depth, shared, value);
    if (node.kind === LEAF) {
      this.previous = node.value;
      this.#changed = !equalBytes(node.value, value);
      if (this.#changed) {
        node.value = value;
        touch(node);
      }
      return node;
    }
    const child = this.#insert(this.#childBelow(node, key, depth), key, depth + shared, value);
    if (this.#changed) {
      node.child = child;
      touch(node);
    }
    return node;
  }

  /** A leaf or extension whose path leaves the key's after `shared` nibbles gets a branch there. */
  #split(
    node: Leaf | Extension,
    key: Uint8Array,
    depth: number,
    shared: number,
    value: Uint8Array,
  ): TrieNode {
    this.#changed = true;
    const { path, stored } = node;
    const branch = takeBranch();
    const mine = path[shared] as number;
    const other = key[depth + shared] as number;
    branch.mask = (1 << mine) | (1 << other);
    branch.children[other] = new Leaf(key.slice(depth + shared + 1), value);
    if (node.kind === EXTENSION && shared + 1 === path.length) {
      branch.children[mine] = node.child; // keeps its path, so its row stays good
      branch.references.set(node.hash, hashPlace(mine));
    } else {
      node.path = path.slice(shared + 1);
      node.stored = false;
      touch(node);
      branch.children[mine] = node;
    }
    if (shared === 0) {
      branch.stored = stored;
      return branch;
    }
    const extension = new Extension(path.slice(0, shared), branch, new Uint8Array(32));
    extension.stored = stored;
    return extension;
  }

  #remove(node: TrieNode, key: Uint8Array, depth: number): TrieNode | undefined {
    if (node.kind === BRANCH) return this.#removeBelow(node, key, depth);
    if (sharedNibbles(node.path, key, depth) < node.path.length) return node;
    if (node.kind === LEAF) {
      this.previous = node.value;
      this.#changed = true;
      if (node.stored) this.drop(key, depth);
      return undefined;
    }
    const below = depth + node.path.length;
    const child = this.#remove(this.#childBelow(node, key, depth), key, below);
    if (!this.#changed) return node;
    if (child === undefined) throw this.#impossible(key, below);
    if (child.kind !== BRANCH) return this.#merge(node, child, node.path, key, below);
    node.child = child;
    touch(node);
    return node;
  }

  #removeBelow(node: Branch, key: Uint8Array, depth: number): TrieNode | undefined {
    const i = key[depth] as number;
    const child = this.#childOf(node, key, depth, i);
    if (child === undefined) return node;
    const rest = this.#remove(child, key, depth + 1);
    if (!this.#changed) return node;
    touch(node);
    node.children[i] = rest;
    if (rest !== undefined) return node;
    node.mask &= ~(1 << i);
    const onlyOne = (node.mask & (node.mask - 1)) === 0;
    return onlyOne ? this.#collapse(node, key, depth) : node;
  }

  /** A branch with one child left becomes part of that child; what the child is decides how, so it is loaded. */
  #collapse(node: Branch, key: Uint8Array, depth: number): TrieNode {
    const last = 31 - Math.clz32(node.mask);
    const path = key.slice(0, depth + 1);
    path[depth] = last;
    const place = hashPlace(last);
    const child = node.children[last] ?? this.source.load(path, depth + 1, node.references, place); // not on the way to the key
    const nibble = Uint8Array.of(last);
    if (child.kind !== BRANCH) return this.#merge(node, child, nibble, path, depth + 1);
    const extension = new Extension(nibble, child, node.references.slice(place, place + 32));
    extension.stored = node.stored;
    return extension;
  }

  /** `child`, standing at `depth` of `path`, moves up into the place of its parent. */
  #merge(
    parent: TrieNode,
    child: Leaf | Extension,
    above: Uint8Array,
    path: Uint8Array,
    depth: number,
  ): TrieNode {
    if (child.stored) this.drop(path, depth);
    const longer = new Uint8Array(above.length + child.path.length);
    longer.set(above);
    longer.set(child.path, above.length);
    child.path = longer;
    child.stored = parent.stored;
    child.inline = undefined;
    touch(child);
    return child;
  }

  #childOf(node: Branch, key: Uint8Array, depth: number, i: number): TrieNode | undefined {
    if (((node.mask >> i) & 1) === 0) return undefined;
    return (
      node.children[i] ?? this.source.load(key, depth + 1, node.references, hashPlace(i), this.#expected)
    );
  }

  #childBelow(node: Extension, key: Uint8Array, depth: number): TrieNode {
    return node.child ?? this.source.load(key, depth + node.path.length, node.hash, 0);
  }

  #impossible(path: Uint8Array, depth: number): StateError {
    const where = bareHex(path.subarray(0, depth));
    return new StateError("trie-damaged", `no node below an extension or in a branch at nibbles ${where}`);
  }
}
