/** Past rows of the recent blocks, from their undo records. */
import type { Rows } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import type { StateHead } from "../rows.ts";
import { RecordIndex } from "./record-index.ts";
import { decodeUndo, type Undone } from "./undo-record.ts";

/** A past row; `changed` is false when no later block has changed it. */
export interface Past {
  readonly changed: boolean;
  readonly row: Uint8Array | undefined;
}

/** Past rows of the flat state. */
export interface PastRows {
  /** Oldest block whose state can be read. */
  readonly oldest: number;
  /** Returns the row after block `number`, which must not be before `oldest`. */
  past(key: Uint8Array, number: number): Past;
}

/** Undo records kept in memory once they have been read, in bytes. */
const CACHED_BYTES = 4 * 1024 * 1024;
const UNCHANGED: Past = { changed: false, row: undefined };

/**
 * An index from rows to the recent blocks that changed them. The row after block n is the previous value of
 * the first block after n that changed it. Values stay in the undo records on disk; the index of a block from
 * before the start is built when a view first passes it.
 */
export class RecentHistory implements PastRows {
  readonly #rows: Rows;
  readonly #retention: number;
  /** Of block `#oldest` + 1 and so on; `undefined` where the record was not read yet. */
  readonly #blocks: (RecordIndex | undefined)[];
  readonly #records = new Map<number, Uint8Array>();
  #cachedBytes = 0;
  #oldest: number;
  #newest: { readonly number: number; readonly record: Uint8Array } | undefined;

  /** The history below `head`, as far as undo records and retention reach. */
  constructor(rows: Rows, retention: number, { number, firstUndo }: StateHead) {
    this.#rows = rows;
    this.#retention = retention;
    this.#oldest = Math.max(firstUndo - 1, number - retention, 0);
    this.#blocks = Array.from({ length: Math.max(0, number - this.#oldest) }, () => undefined);
  }

  get oldest(): number {
    return this.#oldest;
  }

  /** The next block; its undo record need not be in the store before the block after it comes. */
  add(number: number, rows: readonly Undone[], record: Uint8Array): void {
    this.#newest = { number, record };
    this.#blocks.push(new RecordIndex(rows));
    while (this.#blocks.length > this.#retention) {
      this.#blocks.shift();
      this.#oldest++;
    }
  }

  /** Forgets the states before block `oldest`. */
  forget(oldest: number): void {
    const gone = Math.max(0, oldest - this.#oldest);
    this.#blocks.splice(0, gone);
    this.#oldest += gone;
  }

  /** Forgets the blocks after `number`, which is not before `oldest`. */
  rewind(number: number): void {
    this.#blocks.length = Math.min(this.#blocks.length, number - this.#oldest);
    this.#newest = undefined;
    this.#records.clear();
    this.#cachedBytes = 0;
  }

  past(key: Uint8Array, number: number): Past {
    for (let i = number - this.#oldest; i < this.#blocks.length; i++) {
      const index = this.#blocks[i] ?? this.#readIndex(i);
      if (!index.mayHave(key)) continue;
      const { found, before } = index.find(this.#record(this.#oldest + 1 + i), key);
      if (found) return { changed: true, row: before };
    }
    return UNCHANGED;
  }

  #readIndex(i: number): RecordIndex {
    const index = new RecordIndex([...decodeUndo(this.#record(this.#oldest + 1 + i))]);
    this.#blocks[i] = index;
    return index;
  }

  #record(block: number): Uint8Array {
    if (block === this.#newest?.number) return this.#newest.record;
    const known = this.#records.get(block);
    if (known !== undefined) return known;
    const record = this.#rows.get(tables.undo.key(block));
    if (record === undefined) throw new StateError("corrupt", `the undo record of block ${block} is missing`);
    this.#records.set(block, record);
    this.#cachedBytes += record.length;
    for (const [oldest, { length }] of this.#records) {
      if (this.#cachedBytes <= CACHED_BYTES || oldest === block) break;
      this.#records.delete(oldest);
      this.#cachedBytes -= length;
    }
    return record;
  }
}
