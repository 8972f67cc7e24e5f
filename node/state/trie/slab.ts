/**
 * Encoded trie nodes in one block of memory outside the heap: a ring in which the newest node of a path
 * overwrites the older one in place where it fits. An entry holds its node's hash, and whoever reads names the
 * hash it wants: anything else is a miss, so nothing ever needs invalidating. A small one that is full takes all
 * the memory that it may, which the system hands out as it is written to: growing step by step would copy more and
 * more at once. Where there is not so much it stays small.
 */
import type { Hash } from "../../bytes/brands.ts";
import { copyHash } from "../../model/trie-node.ts";
import { sameHash } from "./node.ts";

/** Entries begin at multiples of this: tag, room and length, hash, then the node. */
const UNIT = 64;
const UNIT_WORDS = UNIT / 4;
const HEAD = 40;
const WAYS = 4;
const SMALLEST = 256 * 1024;
const MAX_LENGTH = 0xffff;

/** The slab of encoded nodes. */
export class Slab {
  /** The memory that positions from `find` point into; replaced when the slab grows. */
  bytes: Uint8Array = new Uint8Array(0);
  hits = 0;
  misses = 0;
  #limit: number;
  /** Bytes that memory and index may take together as yet. */
  #total: number;
  #words = new Uint32Array(0);
  /** Positions in units, counted from the beginning of time; 0 is none. */
  #index = new Uint32Array(0);
  #units = 0;
  /** Next free unit, counted likewise: never 0. */
  #head = 1;

  /** `limit` is all the memory it may ever take, in bytes; a smaller one than 1 KB counts as that. */
  constructor(limit: number) {
    this.#limit = Math.max(limit, 1024);
    this.#total = Math.min(this.#limit, SMALLEST);
    this.#allocate();
  }

  /** Bytes taken now. */
  get size(): number {
    return this.bytes.byteLength + this.#index.byteLength;
  }

  /** Position of the node of this path in `bytes`, or -1 where its newest version here has another hash. */
  find(tag: number, hash: Hash, hashAt: number): number {
    const slot = this.#slotOf(tag);
    if (slot >= 0) {
      const at = this.#unitOf(this.#index[slot] as number) * UNIT;
      if (sameHash(this.bytes, at + 8, hash, hashAt)) {
        this.hits++;
        return at + HEAD;
      }
    }
    this.misses++;
    return -1;
  }

  /** Keeps the first `length` bytes of `node`. */
  put(tag: number, hash: Hash, hashAt: number, node: Uint8Array, length: number): void {
    if (length > MAX_LENGTH || this.#units * UNIT < 16 * length) return;
    const slot = this.#slotOf(tag);
    let unit = slot < 0 ? -1 : this.#unitOf(this.#index[slot] as number);
    if (unit < 0 || this.#roomAt(unit) < length) unit = this.#reserve(tag, slot, length);
    const word = unit * UNIT_WORDS;
    this.#words[word + 1] = ((this.#words[word + 1] as number) & 0xffff_0000) | length;
    const at = unit * UNIT;
    copyHash(hash, hashAt, this.bytes, at + 8);
    this.bytes.set(node.length === length ? node : node.subarray(0, length), at + HEAD);
  }

  /** Index slots, which `copy` counts in. */
  get slots(): number {
    return this.#index.length;
  }

  /**
   * Copies entries into `into`, from the index slot `from` on as far as it has room: the slot to go on with, and
   * the bytes copied. Whoever goes on later may miss what moved meanwhile.
   */
  copy(from: number, into: Uint8Array): { readonly next: number; readonly length: number } {
    let length = 0;
    let slot = from;
    for (; slot < this.#index.length; slot++) {
      const position = this.#index[slot] as number;
      if (!this.#isLive(position)) continue;
      const unit = this.#unitOf(position);
      const at = unit * UNIT;
      const end = at + HEAD + ((this.#words[unit * UNIT_WORDS + 1] as number) & MAX_LENGTH);
      if (length + end - at > into.length) break;
      into.set(this.bytes.subarray(at, end), length);
      length += end - at;
    }
    return { next: slot, length };
  }

  /** Puts what `copy` gave, but for paths of which something newer is here; how many entries were there. */
  restore(entries: Uint8Array): number {
    const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
    let count = 0;
    for (let at = 0; at + HEAD <= entries.length; count++) {
      const tag = view.getUint32(at, true);
      const length = view.getUint16(at + 4, true);
      if (at + HEAD + length > entries.length) break;
      const node = entries.subarray(at + HEAD, at + HEAD + length);
      if (this.#slotOf(tag) < 0) this.put(tag, entries, at + 8, node, length);
      at += HEAD + length;
    }
    return count;
  }

  /** Forgets everything and gives the memory back; it grows again as nodes come. */
  empty(): void {
    this.#total = Math.min(this.#limit, SMALLEST);
    this.#head = 1;
    this.#allocate();
  }

  /** Forgets everything. */
  clear(): void {
    this.#index.fill(0);
    this.#head = 1;
  }

  /** The first of new units, entered under the tag in place of what stood in `slot` when that is given. */
  #reserve(tag: number, slot: number, length: number): number {
    const units = Math.ceil((HEAD + length) / UNIT);
    const grown = this.#head + units > this.#units && this.#grow();
    if (this.#head > 0xffff_ffff - 2 * this.#units) this.clear();
    const left = this.#units - (this.#head % this.#units);
    if (units > left) this.#head += left;
    const position = this.#head;
    this.#head += units;
    this.#index[slot < 0 || grown ? this.#freeSlot(tag) : slot] = position;
    const unit = this.#unitOf(position);
    this.#words[unit * UNIT_WORDS] = tag;
    this.#words[unit * UNIT_WORDS + 1] = (units << 16) | length;
    return unit;
  }

  #slotOf(tag: number): number {
    const bucket = this.#bucketOf(tag);
    for (let slot = bucket; slot < bucket + WAYS; slot++) {
      const position = this.#index[slot] as number;
      if (this.#isLive(position) && this.#words[this.#unitOf(position) * UNIT_WORDS] === tag) return slot;
    }
    return -1;
  }

  /** The slot of a bucket with the tag, else the oldest. */
  #freeSlot(tag: number): number {
    const same = this.#slotOf(tag);
    if (same >= 0) return same;
    const bucket = this.#bucketOf(tag);
    let oldest = bucket;
    for (let slot = bucket; slot < bucket + WAYS; slot++) {
      if ((this.#index[slot] as number) < (this.#index[oldest] as number)) oldest = slot;
    }
    return oldest;
  }

  #bucketOf(tag: number): number {
    return (tag & (this.#index.length / WAYS - 1)) * WAYS;
  }

  /** False for what the ring has overwritten since. */
  #isLive(position: number): boolean {
    return position !== 0 && position + this.#units >= this.#head;
  }

  #unitOf(position: number): number {
    return position % this.#units;
  }

  #roomAt(unit: number): number {
    return ((this.#words[unit * UNIT_WORDS + 1] as number) >>> 16) * UNIT - HEAD;
  }

  /** Takes all the memory it may before the ring first turns over; entries keep their positions. */
  #grow(): boolean {
    if (this.#total >= this.#limit) return false;
    const old = { bytes: this.bytes, words: this.#words, total: this.#total };
    try {
      this.#total = this.#limit;
      this.#allocate();
    } catch {
      this.#limit = this.#total = old.total; // there is no such memory; nothing was replaced yet
      return false;
    }
    this.bytes.set(old.bytes);
    for (let position = 1; position < this.#head; ) {
      const word = position * UNIT_WORDS;
      this.#index[this.#freeSlot(old.words[word] as number)] = position;
      position += (old.words[word + 1] as number) >>> 16;
    }
    return true;
  }

  #allocate(): void {
    const slots = Math.max(WAYS, 2 ** Math.floor(Math.log2(this.#total / 128)));
    const units = Math.floor((this.#total - 4 * slots) / UNIT);
    const memory = new ArrayBuffer(units * UNIT);
    this.#index = new Uint32Array(slots);
    this.#units = units;
    this.bytes = new Uint8Array(memory);
    this.#words = new Uint32Array(memory);
  }
}
