/**
 * Takes a state back to an earlier block whose undo records are all there. The rows go into the caller's batch;
 * before that is written the tries are brought to the earlier block and stored as its own, so that a crash at any
 * instant finds a trie at or before the flat state, which undo records lead forward.
 */
import { mapKey } from "../../bytes/hex.ts";
import type { Log } from "../../observe/log.ts";
import { runInSlices } from "../../runtime/scheduler.ts";
import type { Batch, Rows, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { destroyedAfter } from "../flat/storage-rows.ts";
import { encodeHead, HEAD_KEY, type Point, type StateHead } from "../rows.ts";
import { applyChanged } from "../trie/recovery.ts";
import type { TrieSet } from "../trie/trie-set.ts";
import type { TrieStore } from "../trie/trie-store.ts";
import { type ChangedRows, changedRows } from "./changed-rows.ts";
import type { History } from "./history.ts";

/**
 * Databases and tries of a rewind. Nothing may change them meanwhile, and everything up to `head` must be on
 * disk.
 */
export interface StateRewindDeps {
  readonly chain: Store;
  readonly trieStore: TrieStore;
  readonly history: History;
  readonly head: StateHead;
  readonly log: Log;
}

/** The state's new head, and whether the tries are at it; otherwise they must be rebuilt. */
export interface Rewound {
  readonly head: StateHead;
  readonly hasTries: boolean;
}

/** Rows between two yields. */
const STEP = 64;

/**
 * Fills the batch. Throws `StateError` `state-missing`, with nothing changed, when the block is not among those
 * whose undo records are kept.
 */
export async function prepareRewind(parts: StateRewindDeps, target: Point, batch: Batch): Promise<Rewound> {
  const { chain, history, head } = parts;
  const oldest = history.oldestRecent;
  if (target.number < oldest || target.number > head.number) {
    const kept = `the oldest that can be restored is that of block ${oldest}`;
    throw new StateError("state-missing", `cannot rewind the state to block ${target.number}: ${kept}`);
  }
  const restored = await runInSlices(changedRows(chain, target.number, head.number));
  const after = { ...head, ...target };
  await runInSlices(putRestored(batch, restored));
  await runInSlices(history.rewindIndex([...restored.values()], target.number, batch));
  for (let block = target.number + 1; block <= head.number; block++) batch.delete(tables.undo.key(block));
  let hasTries = true;
  for await (const [key] of chain.entries(destroyedAfter(target.number))) {
    batch.delete(key);
    hasTries = false; // of destroyed storage the trie database may hold anything
  }
  batch.put(HEAD_KEY, encodeHead(after));
  return { head: after, hasTries: hasTries && (await rewindTries(parts, restored, target)) };
}

function* putRestored(batch: Batch, restored: ChangedRows): Generator<undefined> {
  let step = 0;
  for (const { key, before } of restored.values()) {
    if (before === undefined) batch.delete(key);
    else batch.put(key, before);
    if (++step % STEP === 0) yield;
  }
}

/** False when the tries could not be taken back; they are worth nothing then. */
async function rewindTries(
  { chain, trieStore, log }: StateRewindDeps,
  restored: ChangedRows,
  target: Point,
): Promise<boolean> {
  try {
    await runInSlices(undoInTries(chain, trieStore.tries, restored, target));
    const { written } = await trieStore.flush(target);
    await written;
    return true;
  } catch (error) {
    log.warn({ target: target.number, error }, "trie cannot be rewound with the flat state");
    return false;
  }
}

/** The same step as catching up with the flat state, but from the newer rows to the restored ones. */
function* undoInTries(
  rows: Rows,
  tries: TrieSet,
  restored: ChangedRows,
  target: Point,
): Generator<undefined> {
  const newer = new Map([...restored].map(([name, { key }]) => [name, { key, before: rows.get(key) }]));
  yield;
  const older: Rows = {
    get: (key) => {
      const undone = restored.get(mapKey(key));
      return undone === undefined ? rows.get(key) : undone.before;
    },
  };
  yield* applyChanged(older, tries, newer, target);
}
