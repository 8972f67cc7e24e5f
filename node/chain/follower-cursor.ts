/**
 * The cursor of data derived from blocks: the first block that is not taken in, with the hash of the block before it,
 * because the chain may have become another while nobody followed it.
 */
import type { Hash } from "../bytes/brands.ts";
import { concatBytes, equalBytes } from "../bytes/compare.ts";
import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import { blockHash } from "../model/header.ts";
import type { Batch, Rows } from "../store/store.ts";
import { storedHeader } from "./block-rows.ts";

const NUMBER_BYTES = 6;

/** Returns the first block that is not taken in; 0 when there is no cursor, or one of another chain. */
export function readCursor(rows: Rows, key: Uint8Array, head: number): number {
  const row = rows.get(key);
  if (row === undefined) return 0;
  const next = bytesToNumber(row.subarray(0, NUMBER_BYTES));
  const isKnown = next - 1 <= head;
  return isKnown && equalBytes(hashAt(rows, next - 1), row.subarray(NUMBER_BYTES)) ? next : 0;
}

/** Adds a cursor to a batch. */
export function putCursor(rows: Rows, batch: Batch, { key, next }: { key: Uint8Array; next: number }): void {
  batch.put(key, concatBytes(fixedBytes(next, NUMBER_BYTES), hashAt(rows, next - 1)));
}

function hashAt(rows: Rows, number: number): Hash {
  const header = number < 0 ? undefined : storedHeader(rows, number);
  return header === undefined ? new Uint8Array(0) : blockHash(header);
}
