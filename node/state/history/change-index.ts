/** The index of changes on disk, for archive nodes and long retentions. */
import { concatBytes } from "../../bytes/compare.ts";
import { bareHex } from "../../bytes/hex.ts";
import type { Batch, Rows } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { firstChangeAfter, lastBlockOf, numberAt, numberBytes, upTo } from "./change-page.ts";
import type { Undone } from "./undo-record.ts";

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

/** Rows between two yields. */
const STEP = 64;
/** A page that has grown to this is closed. */
const PAGE_BYTES = 256;
/** A row that no block since has changed. */
const UNCHANGED: Past = { changed: false, row: undefined };

/**
 * On disk: what each row of the flat state was before each block that changed it, in pages by row. The newest
 * page is found under the row's key, behind the number of those before it; they are found by their numbers.
 * Closed pages that are gone count as older than whatever is asked for.
 */
export class ChangeIndex {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Enters the changes of a block; the batches of all earlier blocks must have been handed to the store. */
  add(batch: Batch, block: number, changes: readonly Undone[]): void {
    for (const { key, before } of changes) {
      const newestKey = tables.change.key(key);
      batch.put(newestKey, this.#append(batch, key, this.#rows.get(newestKey), { block, before }));
    }
  }

  /** Returns the row after block `number`. Every change after `number` must be in the index. */
  past(key: Uint8Array, number: number): Past {
    const newest = this.#rows.get(tables.change.key(key));
    if (newest === undefined) return UNCHANGED;
    const pages = numberAt(newest, 0);
    const { value: base } = numberAt(newest, pages.end);
    const answer =
      number >= base || pages.value === 0
        ? firstChangeAfter(newest, pages.end, number)
        : this.#inClosed(key, pages.value, number);
    return answer.found ? { changed: true, row: answer.before } : UNCHANGED;
  }

  /** Takes the changes of blocks after `number` to these rows out again, in steps. */
  *rewind(batch: Batch, rows: readonly Undone[], number: number): Generator<undefined> {
    for (const [i, { key }] of rows.entries()) {
      const newestKey = tables.change.key(key);
      const newest = this.#rows.get(newestKey);
      const left = newest && this.#without(batch, key, newest, number);
      if (left === undefined) batch.delete(newestKey);
      else batch.put(newestKey, left);
      if (i % STEP === 0) yield;
    }
  }

  /** The newest page without later changes; a closed page becomes the newest where nothing is left of it. */
  #without(batch: Batch, key: Uint8Array, newest: Uint8Array, number: number): Uint8Array | undefined {
    const { value: count, end: start } = numberAt(newest, 0);
    let page = upTo(newest.subarray(start), number);
    let pages = count;
    while (page === undefined && pages > 0) {
      pages--;
      const closedKey = tables.change.key(key, pages);
      const closed = this.#rows.get(closedKey);
      if (closed === undefined) return undefined; // swept, and all before it
      batch.delete(closedKey);
      page = upTo(closed, number);
    }
    return page && concatBytes(numberBytes(pages), page);
  }

  #append(
    batch: Batch,
    key: Uint8Array,
    newest: Uint8Array | undefined,
    { block, before }: { readonly block: number; readonly before: Uint8Array | undefined },
  ): Uint8Array {
    const row = before ?? new Uint8Array(0);
    const marked = before === undefined ? 0 : before.length + 1;
    if (newest === undefined) return concatBytes(numberBytes(0, 0, block, marked), row);
    const pages = numberAt(newest, 0);
    const last = lastBlockOf(newest, pages.end);
    if (newest.length - pages.end < PAGE_BYTES) {
      return concatBytes(newest, numberBytes(block - last, marked), row);
    }
    batch.put(tables.change.key(key, pages.value), newest.subarray(pages.end));
    return concatBytes(numberBytes(pages.value + 1, last, block - last, marked), row);
  }

  /** The last closed page that begins at or before `number` holds the first change after it, or the next does. */
  #inClosed(key: Uint8Array, count: number, number: number): ReturnType<typeof firstChangeAfter> {
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const page = this.#rows.get(tables.change.key(key, middle));
      if (page === undefined || numberAt(page, 0).value <= number) low = middle;
      else high = middle - 1;
    }
    const page = this.#rows.get(tables.change.key(key, low));
    if (page === undefined)
      throw new StateError("corrupt", `the index of changes lacks a page of ${bareHex(key)}`);
    return firstChangeAfter(page, 0, number);
  }
}
