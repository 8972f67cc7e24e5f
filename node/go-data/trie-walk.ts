/** Walks a trie of the Go node in the order of its keys, every node against its hash, from any key on. */
import type { Hash } from "../bytes/brands.ts";
import { RLP_LIST } from "../bytes/rlp-header.ts";
import { hashInput, keccakInput, keccakOutput } from "../crypto/keccak.ts";
import { toNibbles } from "../model/trie-node.ts";
import type { Rows } from "../store/store.ts";
import { GoDataError } from "./error.ts";
import {
  type InnerNode,
  type LeafNode,
  readGoNode,
  readNodeAt,
  stringAt,
  writeHashedForm,
} from "./trie-node.ts";

/** A leaf: its key of 32 bytes and its value as stored. */
export interface GoLeaf {
  readonly key: Hash;
  readonly value: Uint8Array;
}

/** Source of a walk, and the consumer of its nodes. */
export interface WalkOptions {
  readonly rows: Rows;
  /** Reference to the root: its hash, with or without a counter. */
  readonly reference: Uint8Array;
  /** Name of the trie in errors. */
  readonly name: string;
  /** First byte of the keys to walk; all keys when absent. */
  readonly firstByte?: number | undefined;
  /** Leaves up to and with this key are passed over. */
  readonly after?: Hash | undefined;
  /** Called for each node that is a row of its own, with its path as nibbles and its bytes as the trie hashes them, valid for the call. */
  readonly onNode: (path: Uint8Array, hashed: Uint8Array) => void;
}

/** An inner node that is being walked. `isOnEdge`: on the way to the key after which the walk begins. */
interface Frame {
  readonly node: InnerNode;
  /** Nibbles down to its children. */
  readonly depth: number;
  readonly isOnEdge: boolean;
  next: number;
}

const KEY_BYTES = 32;
const KEY_NIBBLES = 2 * KEY_BYTES;
const HASH_BYTES = 32;

/** A walk; `next` reads as far as the next leaf. */
export class GoTrieWalk {
  readonly #options: WalkOptions;
  readonly #after: Uint8Array | undefined;
  /** The nibbles with which every key begins. */
  readonly #start: Uint8Array;
  readonly #path = new Uint8Array(KEY_NIBBLES);
  readonly #frames: Frame[] = [];
  #first: boolean = true;
  /** Bytes of the newest node as the trie hashes it, in `keccakInput`. */
  #hashedLength = 0;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#after = options.after && toNibbles(options.after);
    const { firstByte } = options;
    this.#start = firstByte === undefined ? new Uint8Array(0) : toNibbles(Uint8Array.of(firstByte));
  }

  /** Returns the next leaf, undefined after the last. Throws `GoDataError` `missing` or `damaged`. */
  next(): GoLeaf | undefined {
    if (this.#first) {
      this.#first = false;
      const leaf = this.#enter(this.#load(this.#options.reference, 0), 0, this.#after !== undefined);
      if (leaf !== undefined) return leaf;
    }
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      const leaf = frame.next < frame.node.children.length ? this.#step(frame) : void this.#frames.pop();
      if (leaf !== undefined) return leaf;
    }
    return undefined;
  }

  #step(frame: Frame): GoLeaf | undefined {
    const index = frame.next++;
    const child = frame.node.children[index] as number; // in range: `next` looks
    if (child === 0) return undefined;
    let { depth } = frame;
    let isOnEdge = frame.isOnEdge;
    if (frame.node.isBranch) {
      if (depth < this.#start.length && this.#start[depth] !== index) return undefined;
      this.#path[depth] = index;
      isOnEdge = isOnEdge && this.#after?.[depth] === index;
      depth++;
    }
    if (depth > KEY_NIBBLES) throw this.#damageError("is deeper than a key", depth);
    return this.#enter(this.#childAt(frame.node, child, depth), depth, isOnEdge);
  }

  #childAt({ bytes }: InnerNode, at: number, depth: number): InnerNode | LeafNode {
    if ((bytes[at] as number) < RLP_LIST) return this.#load(stringAt(bytes, at), depth); // in range: a child is an item
    try {
      return readNodeAt(bytes, at);
    } catch (cause) {
      throw this.#fault("damaged", "cannot be decoded", depth, cause);
    }
  }

  /** Takes up a node at a depth: returns a leaf, and walks an inner node from then on. */
  #enter(node: InnerNode | LeafNode, depth: number, onEdge: boolean): GoLeaf | undefined {
    const { path } = node;
    const end = depth + path.length;
    if (end > KEY_NIBBLES || (node.isLeaf && end !== KEY_NIBBLES))
      throw this.#damageError("has a path of another length than a key", depth);
    this.#path.set(path, depth);
    if (!this.#isWanted(depth, end)) return undefined;
    const order = onEdge ? this.#compareWithEdge(depth, end) : 1;
    if (node.isLeaf) return order > 0 ? { key: keyOf(this.#path), value: node.value } : undefined;
    if (order >= 0) this.#push(node, end, order === 0);
    return undefined;
  }

  /** False when a part of the path is another than that with which every key begins. */
  #isWanted(from: number, to: number): boolean {
    for (let i = from; i < Math.min(to, this.#start.length); i++)
      if (this.#path[i] !== this.#start[i]) return false;
    return true;
  }

  #push(node: InnerNode, depth: number, isOnEdge: boolean): void {
    const next = isOnEdge && node.isBranch ? (this.#after?.[depth] ?? 0) : 0;
    this.#frames.push({ node, depth, isOnEdge, next });
  }

  /** Compares a part of the path with that of the key after which the walk begins. */
  #compareWithEdge(from: number, to: number): number {
    for (let i = from; i < to; i++) {
      const difference = (this.#path[i] as number) - (this.#after?.[i] ?? 0); // in range: both are keys
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #load(reference: Uint8Array, depth: number): InnerNode | LeafNode {
    const stored = this.#options.rows.get(reference);
    if (stored === undefined) throw this.#fault("missing", "is missing", depth);
    const node = this.#read(stored, depth);
    hashInput(this.#hashedLength);
    for (let i = 0; i < HASH_BYTES; i++)
      if (keccakOutput[i] !== reference[i]) throw this.#damageError("fails its hash", depth);
    this.#options.onNode(this.#path.subarray(0, depth), keccakInput.subarray(0, this.#hashedLength));
    return node;
  }

  /** Reads a node, and leaves what the trie hashes of it where it is hashed. */
  #read(stored: Uint8Array, depth: number): InnerNode | LeafNode {
    try {
      const node = readGoNode(stored);
      this.#hashedLength = writeHashedForm(stored, node, keccakInput);
      return node;
    } catch (cause) {
      throw this.#fault("damaged", "cannot be decoded", depth, cause);
    }
  }

  #damageError(what: string, depth: number): GoDataError {
    return this.#fault("damaged", what, depth);
  }

  #fault(code: "missing" | "damaged", what: string, depth: number, cause?: unknown): GoDataError {
    const nibbles = Array.from(this.#path.subarray(0, depth), (nibble) => nibble.toString(16)).join("");
    return new GoDataError(code, `node ${nibbles || "at the root"} of ${this.#options.name} ${what}`, {
      cause,
    });
  }
}

function keyOf(path: Uint8Array): Hash {
  const key = new Uint8Array(KEY_BYTES);
  for (let i = 0; i < KEY_BYTES; i++) key[i] = ((path[2 * i] as number) << 4) | (path[2 * i + 1] as number); // in range: a whole path
  return key;
}
