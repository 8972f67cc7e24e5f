/**
 * Removes what no state needs any more: the storage of accounts that were destroyed before the oldest readable
 * state, and pages of the index of changes before it. In bounded batches beside everything else; what a crash
 * interrupts goes on at the next sweep, because the row that names the work goes last.
 */
import type { Range, Row, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { destroyedOf, destroyedUpTo, nodesOf, slotsOf } from "../flat/storage-rows.ts";
import { lastBlockOf, pageStart } from "./change-page.ts";

/** Rows deleted in one batch. */
const BATCH_ROWS = 500;
/** Databases to sweep. The sweep ends between two batches when the signal is aborted. */
export interface SweepDeps {
  readonly chain: Store;
  readonly trie: Store;
  readonly signal: AbortSignal;
}

/** Returns true when a block up to `upTo` has destroyed storage that is still there. */
export async function hasDestroyed(chain: Store, upTo: number): Promise<boolean> {
  for await (const _ of chain.entries({ ...destroyedUpTo(upTo), limit: 1 })) return true;
  return false;
}

/** Removes the storage that blocks up to `upTo` destroyed; returns the slots that went. */
export async function sweepDestroyed({ chain, trie, signal }: SweepDeps, upTo: number): Promise<number> {
  let slots = 0;
  for await (const [key] of chain.entries(destroyedUpTo(upTo))) {
    const { accountHash, incarnation } = destroyedOf(key);
    slots += await deleteRows(chain, slotsOf(accountHash, incarnation), signal);
    await deleteRows(trie, nodesOf(accountHash, incarnation), signal);
    if (signal.aborted) return slots;
    await trie.write(trie.createBatch(), { sync: true });
    const batch = chain.createBatch();
    batch.delete(key);
    await chain.write(batch, { sync: false });
  }
  return slots;
}

/** Removes the pages of the index of changes that end at or before block `upTo`; returns how many. */
export function sweepIndex({ chain, signal }: SweepDeps, upTo: number): Promise<number> {
  return deleteRows(chain, tables.change.range(), signal, (key, value) => {
    return lastBlockOf(value, pageStart(key, value)) <= upTo;
  });
}

async function deleteRows(
  store: Store,
  range: Range,
  signal: AbortSignal,
  isDue?: (key: Uint8Array, value: Uint8Array) => boolean,
): Promise<number> {
  let deleted = 0;
  let due: Uint8Array[] = [];
  const flush = async (): Promise<void> => {
    const batch = store.createBatch();
    for (const key of due) {
      // a block may have written the row since it was read
      const now = isDue === undefined ? undefined : store.get(key);
      if (isDue === undefined || (now !== undefined && isDue(key, now))) batch.delete(key);
    }
    due = [];
    deleted += batch.size;
    await store.write(batch, { sync: false });
  };
  for await (const [key, value] of pages(store, range, signal)) {
    if (isDue === undefined || isDue(key, value)) due.push(key);
    if (due.length >= BATCH_ROWS) await flush();
  }
  if (due.length > 0) await flush();
  return deleted;
}

async function* pages(store: Store, range: Range, signal: AbortSignal): AsyncGenerator<Row> {
  for await (const row of store.entries(range)) {
    if (signal.aborted) return;
    yield row;
  }
}
