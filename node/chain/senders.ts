/**
 * The senders of a block's transactions in a row of their own: recovering them takes longer than the rest of
 * reading a block. Derived data: without the row the senders are recovered on demand.
 */
import type { Block } from "../model/block.ts";
import { senderOf, setSender, type Transaction } from "../model/transaction.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";

const ADDRESS_LENGTH = 20;

/** Transactions of one step. */
const STEP = 256;

/** Adds in steps the row of a block whose senders are known, because it was executed or just checked. */
export function* writeSenders(
  batch: Batch,
  { header, transactions }: Block,
  chainId: bigint,
): Generator<undefined, void> {
  const nameless = transactions.filter(isNameless);
  const row = new Uint8Array(nameless.length * ADDRESS_LENGTH);
  for (const [index, tx] of nameless.entries()) {
    row.set(senderOf(tx, chainId), index * ADDRESS_LENGTH);
    if ((index + 1) % STEP === 0) yield;
  }
  if (row.length > 0) batch.put(tables.senders.key(header.number), row);
}

/** Tells the transactions of block `number` their senders, as far as its row fits them. */
export function readSenders(
  rows: Rows,
  { number, transactions }: { readonly number: number; readonly transactions: readonly Transaction[] },
  chainId: bigint,
): void {
  const row = rows.get(tables.senders.key(number));
  const nameless = transactions.filter(isNameless);
  if (row?.length !== nameless.length * ADDRESS_LENGTH) return;
  for (const [index, tx] of nameless.entries())
    setSender(tx, chainId, row.subarray(index * ADDRESS_LENGTH, (index + 1) * ADDRESS_LENGTH));
}

function isNameless({ fields }: Transaction): boolean {
  return fields.from === undefined;
}
