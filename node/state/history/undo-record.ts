/**
 * Undo records: the keys of accounts and slots that a block changed, with their rows before it. One after the
 * other: length of the key, key, length of the row plus one (0: there was none) in two bytes, row.
 */
import type { Batch } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";

/** A changed row of the flat state. */
export interface FlatChange {
  /** Key in the chain database. */
  readonly key: Uint8Array;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** The previous value of one row in an undo record. */
export type Undone = Pick<FlatChange, "key" | "before">;

const MAX_ROW_BYTES = 0xfffe;

/** One block's undo record. */
export function encodeUndo(changes: readonly Undone[]): Uint8Array {
  let length = 0;
  for (const change of changes) length += lengthInRecord(change);
  const record = new Uint8Array(length);
  let at = 0;
  for (const { key, before } of changes) {
    const marked = before === undefined ? 0 : before.length + 1;
    if (marked > MAX_ROW_BYTES) throw new RangeError(`a flat row of ${marked - 1} bytes`);
    record[at++] = key.length;
    record.set(key, at);
    at += key.length;
    record[at++] = marked >> 8;
    record[at++] = marked & 255;
    if (before !== undefined) record.set(before, at);
    at += before?.length ?? 0;
  }
  return record;
}

/** Deletes the records of blocks `first` to `last`; the first block whose record stays. */
export function deleteUndo(batch: Batch, first: number, last: number): number {
  let number = first;
  for (; number <= last; number++) batch.delete(tables.undo.key(number));
  return number;
}

/** The rows of an undo record as views of it, in the order of writing. */
export function* decodeUndo(record: Uint8Array): Generator<Undone> {
  for (let at = 0; at < record.length; ) {
    const row = rowAt(record, at);
    yield { key: record.subarray(at + 1, row.start - 2), before: beforeAt(record, row) };
    at = row.end;
  }
}

/** The row of an undo record that begins at `at`: before the block, if it is that of `key`. */
export function undoneAt(
  record: Uint8Array,
  at: number,
  key: Uint8Array,
): { readonly found: boolean; readonly before: Uint8Array | undefined } {
  const row = rowAt(record, at);
  if (row.start - at - 3 !== key.length || !hasKey(record, at + 1, key)) return NOT_FOUND;
  return { found: true, before: beforeAt(record, row) };
}

/** Bytes that a row takes in a record. */
export function lengthInRecord({ key, before }: Undone): number {
  return 3 + key.length + (before?.length ?? 0);
}

const NOT_FOUND = { found: false, before: undefined } as const;

interface RowAt {
  readonly marked: number;
  readonly start: number;
  readonly end: number;
}

function rowAt(record: Uint8Array, at: number): RowAt {
  const start = at + 3 + (record[at] ?? 0);
  const marked = ((record[start - 2] ?? 0) << 8) | (record[start - 1] ?? 0);
  return { marked, start, end: start + Math.max(0, marked - 1) };
}

function beforeAt(record: Uint8Array, { marked, start, end }: RowAt): Uint8Array | undefined {
  return marked === 0 ? undefined : record.subarray(start, end);
}

function hasKey(record: Uint8Array, at: number, key: Uint8Array): boolean {
  // from the end: keys of one table begin alike
  for (let i = key.length - 1; i >= 0; i--) if (record[at + i] !== key[i]) return false;
  return true;
}
