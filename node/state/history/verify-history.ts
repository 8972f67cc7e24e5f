/** Reads the index of changes: its pages, and that it says what the undo records say. */
import { equalOptional } from "../../bytes/compare.ts";
import { bareHex } from "../../bytes/hex.ts";
import { bytesToNumber } from "../../bytes/integer.ts";
import { runInSlices } from "../../runtime/scheduler.ts";
import type { Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { readHead } from "../rows.ts";
import { ChangeIndex } from "./change-index.ts";
import { changesOf, numberAt, pageStart } from "./change-page.ts";
import { readHistoryMode } from "./history.ts";
import { decodeUndo } from "./undo-record.ts";

/** Changes in the index; 0 where there is none. Throws `StateError` `corrupt` at the first contradiction. */
export async function verifyHistory(chain: Store): Promise<number> {
  const mode = readHistoryMode(chain);
  if (mode === undefined) return 0;
  const head = readHead(chain).number;
  let changes = 0;
  for await (const [key, page] of chain.entries(tables.change.range())) {
    changes += checkPage(key, page, head);
  }
  for await (const [key, record] of chain.entries(tables.undo.range())) {
    const block = bytesToNumber(key.subarray(1));
    if (block > mode.from) await runInSlices(compareRecord(new ChangeIndex(chain), block, record));
  }
  return changes;
}

function checkPage(key: Uint8Array, page: Uint8Array, head: number): number {
  let changes = 0;
  try {
    const start = pageStart(key, page);
    let last = numberAt(page, start).value;
    for (const { block } of changesOf(page, start)) {
      if (block <= last || block > head) throw new RangeError(`block ${block} after ${last}`);
      last = block;
      changes++;
    }
  } catch (cause) {
    throw new StateError("corrupt", `the index of changes is damaged at ${bareHex(key)}`, { cause });
  }
  return changes;
}

function* compareRecord(index: ChangeIndex, block: number, record: Uint8Array): Generator<undefined> {
  for (const { key, before } of decodeUndo(record)) {
    const { changed, row } = index.past(key, block - 1);
    if (!changed || !equalOptional(row, before)) {
      throw new StateError("corrupt", `the index lacks the change of ${bareHex(key)} in block ${block}`);
    }
    yield;
  }
}
