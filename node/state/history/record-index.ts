/** A look-up table for one undo record. */
import { lengthInRecord, type Undone, undoneAt } from "./undo-record.ts";

/** More rows than a block can change. */
const PLACES = 2 ** 21;

/**
 * Offsets of the rows in an undo record by four bytes of their keys, in twelve bytes a row. Keys are hashes,
 * so four bytes nearly always select one row or none.
 */
export class RecordIndex {
  /** Tag of a row times `PLACES`, plus its place in the record; sorted. */
  readonly #places: Float64Array;
  /** Offset of each row. */
  readonly #starts: Uint32Array;

  /** The index of the record of these rows. */
  constructor(rows: readonly Undone[]) {
    this.#places = new Float64Array(rows.length);
    this.#starts = new Uint32Array(rows.length);
    let start = 0;
    for (const [place, row] of rows.entries()) {
      this.#places[place] = tagOf(row.key) * PLACES + place;
      this.#starts[place] = start;
      start += lengthInRecord(row);
    }
    this.#places.sort();
  }

  /** Yields the offsets of rows that may have the key. */
  *starts(key: Uint8Array): Generator<number> {
    const tag = tagOf(key);
    for (let i = this.#firstAt(tag * PLACES); i < this.#places.length; i++) {
      const place = (this.#places[i] as number) - tag * PLACES; // in range
      if (place >= PLACES) return;
      yield this.#starts[place] as number; // a place of this record
    }
  }

  /** False when the record certainly does not name the key. */
  mayHave(key: Uint8Array): boolean {
    const least = tagOf(key) * PLACES;
    const found = this.#places[this.#firstAt(least)];
    return found !== undefined && found < least + PLACES;
  }

  /** Returns the record's row of the key. */
  find(record: Uint8Array, key: Uint8Array): ReturnType<typeof undoneAt> {
    for (const start of this.starts(key)) {
      const row = undoneAt(record, start, key);
      if (row.found) return row;
    }
    return { found: false, before: undefined };
  }

  #firstAt(least: number): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#places[middle] as number) < least)
        low = middle + 1; // in range
      else high = middle;
    }
    return low;
  }
}

/** Bytes of the account's hash and, for a slot, of its own. */
function tagOf(key: Uint8Array): number {
  const last = key.length - 4;
  let tag = 0;
  for (let i = 0; i < 4; i++) tag = (tag << 8) | ((key[1 + i] ?? 0) ^ (key[last + i] ?? 0));
  return tag >>> 0;
}
