/**
 * Takes the chain back to an earlier block. Blocks that a quorum has sealed are final, so the chain never does so by
 * itself; an operator may, as far as the undo records of the state reach.
 */

import type { Governance } from "../governance/governance.ts";
import type { Block } from "../model/block.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { State } from "../state/state.ts";
import type { Batch, Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { forgetAddresses } from "./address-index.ts";
import { amendedRoot, forgetAmended } from "./amended.ts";
import { type BlockRows, deleteBlockRows } from "./block-rows.ts";
import type { RemovedBlock } from "./chain.ts";
import { ChainError } from "./error.ts";
import { putCursor, readCursor } from "./follower-cursor.ts";
import { indexedSections, putIndexedSections, SECTION_BLOCKS } from "./log-index.ts";
import { forgetSenderHashes } from "./sender-hashes.ts";

/** Parts of the chain that a rewind changes. */
export interface RewindDeps {
  readonly store: Store;
  readonly state: State;
  readonly rows: BlockRows;
  readonly governance: Pick<Governance, "rewind">;
  readonly pause: Pause;
}

/**
 * One synced batch: the rows of later blocks go, with those derived from them, and the state's go back. `onSwitch` is
 * called in the turn in which the rows become the earlier ones. Gives the removed blocks, the newest first. Everything must
 * be durable before.
 */
export async function rewindChain(
  { store, state, rows, governance, pause }: RewindDeps,
  number: number,
  onSwitch: (target: Block) => void,
): Promise<readonly RemovedBlock[]> {
  const head = state.number;
  if (number > head) throw new ChainError("no-block", "Cannot rewind to future");
  if (number < state.figures().oldestRewind) {
    const why = `the oldest block whose state can be restored is ${state.figures().oldestRewind}`;
    throw new ChainError("no-block", `Cannot rewind to block ${number}: ${why}`, { block: number });
  }
  await state.ready;
  const target = requireBlock(rows, number);
  const batch = store.createBatch();
  const removed: RemovedBlock[] = [];
  for (let each = head; each > number; each--) {
    const block = requireBlock(rows, each);
    removed.push({ block, receipts: rows.receipts(each) ?? [] });
    deleteBlockRows(batch, block);
    deleteDerivedRows(store, batch, block);
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  rewindMarks(store, batch, { head, number });
  const forget = governance.rewind(number, batch);
  const root = amendedRoot(store, number) ?? target.header.stateRoot;
  await state.rewind({ number, root }, batch, () => {
    const written = store.write(batch, { sync: true });
    onSwitch(target);
    return written;
  });
  forget();
  return removed;
}

/** Takes back the single rows that tell of blocks after `number`. */
export function rewindMarks(
  store: Rows,
  batch: Batch,
  { head, number }: { readonly head: number; readonly number: number },
): void {
  lowerCursors(store, batch, { head, number });
  const signed = store.get(tables.meta.key("signed"));
  if (signed !== undefined) batch.put(tables.meta.key("signedBefore"), signed);
  for (const row of ["signed", "locked", "migrated"] as const) batch.delete(tables.meta.key(row)); // heights repeat
  forgetAmended(store, batch, number);
}

/** Followers need not run, as in `knit db rewind`, and a crash may come before they hear of the rewind. */
function deleteDerivedRows(rows: Rows, batch: Batch, { header: { number }, transactions }: Block): void {
  forgetAddresses(rows, batch, { number, transactions });
  forgetSenderHashes(batch, transactions);
  batch.delete(tables.supply.key(number));
}

/** Lets followers take in again what comes after `number`. */
function lowerCursors(
  rows: Rows,
  batch: Batch,
  { head, number }: { readonly head: number; readonly number: number },
): void {
  const next = number + 1;
  const sections = Math.floor(next / SECTION_BLOCKS);
  if (indexedSections(rows) > sections) putIndexedSections(batch, sections);
  for (const name of ["senderHashes", "addressIndex"] as const) {
    const key = tables.meta.key(name);
    if (readCursor(rows, key, head) > next) putCursor(rows, batch, { key, next }); // one of another chain stays so
  }
}

function requireBlock(rows: BlockRows, number: number): Block {
  const block = rows.block(number);
  if (block !== undefined) return block;
  throw new ChainError("bad-block", `block ${number} is missing from the database`, { block: number });
}
