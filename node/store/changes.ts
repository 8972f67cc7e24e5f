/**
 * The changes of one batch, copied into a few blocks of memory outside the heap: tens of thousands of rows as objects
 * would keep the garbage collector busy for as long as the batch lives.
 */

/** A row as a batch changes it; `undefined` deletes it. */
type RowChange = readonly [key: Uint8Array, value: Uint8Array | undefined];

/** Effect of a batch on a row: `found` is false where it leaves it alone, `value` undefined where it deletes it. */
export interface FoundChange {
  readonly found: boolean;
  readonly value: Uint8Array | undefined;
}

/** The change of a row that a batch leaves alone. */
export const NO_CHANGE: FoundChange = { found: false, value: undefined };

const DELETION: FoundChange = { found: true, value: undefined };
const FIRST_BLOCK = 1024;
const MAX_BLOCK = 1 << 20;
/** Numbers of an entry: its block, the place of its key there, the lengths of key and value. The value follows its key. */
const FIELDS = 4;
/** Length of the value of a deleted row. */
const DELETED = -1;
const FIRST_ENTRIES = 16;
/** Slots of the index for each entry, at least. */
const SLOTS_AN_ENTRY = 2;

/** The changes of a batch in their order, and the newest of each key; a `Batch` by itself where all stays in memory. */
export class BatchChanges {
  readonly #blocks: Uint8Array[] = [];
  /** The block that is being filled, and its bytes in use. */
  #block: Uint8Array = new Uint8Array(0);
  #used = 0;
  #entries = new Int32Array(FIRST_ENTRIES * FIELDS);
  #size = 0;
  #bytes = 0;
  /** Entries, counted from 1, by the hash of their key; 0 is none. It is made by the first look-up. */
  #index = new Int32Array(0);
  #indexed = 0;

  /** Number of changes. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of all keys and values. */
  get bytes(): number {
    return this.#bytes;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#add(key, value);
  }

  delete(key: Uint8Array): void {
    this.#add(key, undefined);
  }

  #add(key: Uint8Array, value: Uint8Array | undefined): void {
    const length = key.length + (value?.length ?? 0);
    if (this.#blocks.length === 0 || this.#used + length > this.#block.length) this.#addBlock(length);
    const at = this.#size++ * FIELDS;
    if (at === this.#entries.length) this.#entries = twice(this.#entries);
    this.#entries[at] = this.#blocks.length - 1;
    this.#entries[at + 1] = this.#used;
    this.#entries[at + 2] = key.length;
    this.#entries[at + 3] = value?.length ?? DELETED;
    this.#block.set(key, this.#used);
    if (value !== undefined) this.#block.set(value, this.#used + key.length);
    this.#used += length;
    this.#bytes += length;
  }

  /** The newest change of a row. */
  find(key: Uint8Array): FoundChange {
    if (this.#size === 0) return NO_CHANGE;
    if (this.#indexed < this.#size) this.#indexRest();
    const entry = (this.#index[this.#slotOf(key, 0, key.length)] as number) - 1;
    if (entry < 0) return NO_CHANGE;
    const value = this.#valueOf(entry);
    return value === undefined ? DELETION : { found: true, value };
  }

  /** All changes in their order. */
  *[Symbol.iterator](): Generator<RowChange> {
    for (let entry = 0; entry < this.#size; entry++) {
      const start = this.#entries[entry * FIELDS + 1] as number;
      const end = start + (this.#entries[entry * FIELDS + 2] as number);
      yield [this.#blockOf(entry).slice(start, end), this.#valueOf(entry)];
    }
  }

  #addBlock(length: number): void {
    const size = Math.max(length, Math.min(MAX_BLOCK, Math.max(FIRST_BLOCK, 2 * this.#block.length)));
    this.#block = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
    this.#blocks.push(this.#block);
    this.#used = 0;
  }

  #blockOf(entry: number): Uint8Array {
    return this.#blocks[this.#entries[entry * FIELDS] as number] as Uint8Array;
  }

  /** A copy: a view would keep the whole block. */
  #valueOf(entry: number): Uint8Array | undefined {
    const at = entry * FIELDS;
    const length = this.#entries[at + 3] as number;
    if (length === DELETED) return undefined;
    const start = (this.#entries[at + 1] as number) + (this.#entries[at + 2] as number);
    return this.#blockOf(entry).slice(start, start + length);
  }

  #indexRest(): void {
    const slots = SLOTS_AN_ENTRY * this.#size;
    if (slots > this.#index.length) {
      this.#index = new Int32Array(2 ** Math.ceil(Math.log2(2 * slots)));
      this.#indexed = 0;
    }
    for (let entry = this.#indexed; entry < this.#size; entry++) {
      const start = this.#entries[entry * FIELDS + 1] as number;
      const length = this.#entries[entry * FIELDS + 2] as number;
      this.#index[this.#slotOf(this.#blockOf(entry), start, length)] = entry + 1;
    }
    this.#indexed = this.#size;
  }

  /** The slot of the key that stands in `bytes`, or the free one where it would be entered. */
  #slotOf(bytes: Uint8Array, start: number, length: number): number {
    const mask = this.#index.length - 1;
    for (let slot = hashOf(bytes, start, length) & mask; ; slot = (slot + 1) & mask) {
      const entry = (this.#index[slot] as number) - 1;
      if (entry < 0 || this.#hasKey(entry, bytes, start, length)) return slot;
    }
  }

  #hasKey(entry: number, bytes: Uint8Array, start: number, length: number): boolean {
    if (this.#entries[entry * FIELDS + 2] !== length) return false;
    const block = this.#blockOf(entry);
    const at = this.#entries[entry * FIELDS + 1] as number;
    for (let i = 0; i < length; i++) if (block[at + i] !== bytes[start + i]) return false;
    return true;
  }
}

/** FNV-1a, its bits mixed once more: the lowest choose the slot. */
function hashOf(bytes: Uint8Array, start: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < start + length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 8;
}

function twice(entries: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * entries.length);
  larger.set(entries);
  return larger;
}
