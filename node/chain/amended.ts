/**
 * State roots of blocks whose state a development chain edited after the block: number (6 bytes) and root (32), one
 * after the other in one row. Headers keep the root that their transactions gave. A chain with such a row is no chain
 * that other nodes accept.
 */
import type { Hash } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";

const KEY = tables.meta.key("amended");
const NUMBER_BYTES = 6;
const ENTRY_BYTES = NUMBER_BYTES + 32;

/** True when the state of a block was edited. */
export function isAmended(rows: Rows): boolean {
  return rows.get(KEY) !== undefined;
}

/** Returns the root of the state after a block that was edited; undefined for any other block. */
export function amendedRoot(rows: Rows, number: number): Hash | undefined {
  return entries(rows)
    .find((entry) => numberOf(entry) === number)
    ?.subarray(NUMBER_BYTES);
}

/** Notes the root of the newest block's edited state. */
export function noteAmended(
  rows: Rows,
  batch: Batch,
  { number, root }: { number: number; root: Hash },
): void {
  const earlier = entries(rows).filter((entry) => numberOf(entry) < number);
  batch.put(KEY, concatBytes(...earlier, fixedBytes(number, NUMBER_BYTES), root));
}

/** Forgets the entries of blocks after `number`; the mark stays, since earlier blocks may stand on an edited state. */
export function forgetAmended(rows: Rows, batch: Batch, number: number): void {
  if (isAmended(rows))
    batch.put(KEY, concatBytes(...entries(rows).filter((entry) => numberOf(entry) <= number)));
}

function entries(rows: Rows): Uint8Array[] {
  const row = rows.get(KEY) ?? new Uint8Array(0);
  return Array.from({ length: Math.floor(row.length / ENTRY_BYTES) }, (_, i) =>
    row.subarray(i * ENTRY_BYTES, (i + 1) * ENTRY_BYTES),
  );
}

function numberOf(entry: Uint8Array): number {
  return bytesToNumber(entry.subarray(0, NUMBER_BYTES));
}
