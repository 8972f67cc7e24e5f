/** Checks the chain after the engine has left out damaged records. */
import { equalBytes } from "../bytes/compare.ts";
import { decodeRlp } from "../bytes/rlp.ts";
import { blockHash, decodeHeader, type Header } from "../model/header.ts";
import type { Log } from "../observe/log.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { Batch, Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { ChainError } from "./error.ts";
import { isDropped } from "./kept-blocks.ts";

/**
 * Signer of a directory whose signing record may lack its newest rows: no validator has this address, so each of them
 * starts as with a new record.
 */
export const UNKNOWN_SIGNER = new Uint8Array(20);

/**
 * Checks after damage that every block up to `head` is whole and follows its parent, marks the signing record as
 * incomplete, then dismisses the damage. Does nothing when the store left nothing out. Throws `ChainError` `bad-block`
 * at the first gap.
 */
export async function settleDamage(store: Store, head: number, log: Log, pause: Pause): Promise<void> {
  if (store.damage === undefined) return;
  log.warn({ damage: store.damage, head }, "database was damaged, checking every block");
  let child: Header | undefined;
  for (let number = head; number >= 0; number--) {
    child = checkedHeader(store, number, child);
    const due = pause();
    if (due !== undefined) await due;
  }
  const batch = store.createBatch();
  markRecordIncomplete(batch);
  await store.write(batch, { sync: true });
  await store.dismissDamage();
  log.warn({ head }, "no block is missing up to the newest one; later blocks may have been lost");
}

/** Marks the signing record of a directory as one that may lack its newest rows. */
export function markRecordIncomplete(batch: Batch): void {
  batch.put(tables.meta.key("signer"), UNKNOWN_SIGNER);
}

/** True when the rows of a block are there, or were pruned. */
export function isWhole(rows: Rows, number: number): boolean {
  const keys = isDropped(rows, number)
    ? [tables.header.key(number)]
    : [tables.header, tables.body, tables.receipts].map((table) => table.key(number));
  return keys.every((key) => rows.get(key) !== undefined);
}

function checkedHeader(rows: Rows, number: number, child: Header | undefined): Header {
  const raw = rows.get(tables.header.key(number));
  if (raw === undefined || !isWhole(rows, number)) throw gap(number, "is missing");
  const header = decodeHeader(decodeRlp(raw));
  if (child !== undefined && !equalBytes(child.parentHash, blockHash(header))) {
    throw gap(number, "is not the parent of the block after it");
  }
  return header;
}

/** The error for a block that the database lacks, or that does not fit to the one after it. */
export function gap(number: number, what: string): ChainError {
  const advice = "import the chain again from a file";
  return new ChainError("bad-block", `block ${number} ${what}: the database is damaged, ${advice}`, {
    block: number,
  });
}
