/**
 * The range of blocks with bodies and receipts: all, unless `--history.blocks` pruned the oldest. Headers and
 * the whole of block 0 always stay.
 */
import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { ChainError } from "./error.ts";

const KEY = tables.meta.key("bodies");

/** The first block after block 0 that has them. */
export function oldestBody(rows: Rows): number {
  const row = rows.get(KEY);
  return row === undefined ? 1 : bytesToNumber(row);
}

/** Records the oldest whole block in the batch that deletes the bodies before it: the two are never apart. */
export function putOldestBody(batch: Batch, number: number): void {
  batch.put(KEY, fixedBytes(number, 6));
}

/** True when a block's body and receipts were pruned. */
export function isDropped(rows: Rows, number: number): boolean {
  return number > 0 && number < oldestBody(rows);
}

/** Throws `ChainError` `pruned-history` when they were: asked where a row is missing. */
export function refuseDropped(rows: Rows, number: number): void {
  if (isDropped(rows, number)) throw prunedHistory(oldestBody(rows));
}

/** Returns geth's error for pruned history, whose words clients know. */
export function prunedHistory(oldest: number): ChainError {
  return new ChainError("pruned-history", "pruned history unavailable", { oldest });
}
