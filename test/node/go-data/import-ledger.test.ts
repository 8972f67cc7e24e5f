/** The ledger of an import: what is saved of it, at any moment, is what is left to do. */
import { expect, test } from "@jest/globals";
import { ImportLedger } from "../../../node/go-data/import-ledger.ts";
import type { ImportTask } from "../../../node/go-data/import-work.ts";
import { noProgress, readProgress, type StatePart } from "../../../node/go-data/progress-row.ts";
import { indexedNumbers } from "../../../node/governance/header-index.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Store } from "../../../node/store/store.ts";
import { seededRandom } from "../../support/random.ts";

const HEAD = 1_000;
const BEGIN = noProgress({ genesis: "0x01", head: HEAD, headHash: "0x02", from: 1 });
const random = seededRandom(11);

/** Saves a ledger and opens it again, as an import that goes on does. */
async function reopen(store: Store, ledger: ImportLedger): Promise<ImportLedger> {
  const batch = store.createBatch();
  ledger.put(batch);
  await store.write(batch, { sync: false });
  return new ImportLedger(readProgress(store) ?? BEGIN, indexedNumbers(store) ?? []);
}

/** Begins up to `count` tasks, and does each in part or whole. Returns true when there was none. */
function work(ledger: ImportLedger, tasks: Iterator<ImportTask>, count: number, done: Set<string>): boolean {
  const begun: ImportTask[] = [];
  for (let i = 0; i < count; i++) {
    const next = tasks.next();
    if (next.done === true) break;
    begun.push(next.value);
  }
  for (const task of begun) {
    const isWhole = random() < 0.5;
    if (task.kind === "state") {
      const { part } = task;
      const written: StatePart = {
        ...part,
        account: new Uint8Array(32).fill(7),
        accounts: part.accounts + 1,
      };
      if (isWhole) done.add(`part ${part.firstByte}`);
      ledger.note({ kind: "state", part: written, isDone: isWhole });
      continue;
    }
    const { from, to } = task.range;
    const next = isWhole ? to : from + Math.floor(random() * (to - from));
    const deciding: number[] = [];
    for (let number = from; number < next; number++) {
      expect(done.has(`block ${number}`)).toBe(false);
      done.add(`block ${number}`);
      if (number % 100 === 0) deciding.push(number);
    }
    ledger.note({ kind: "blocks", left: { from: next, to }, deciding });
  }
  return begun.length === 0;
}

test("every block and every part is written once, however often the import is interrupted", async () => {
  await using store = createMemoryStore();
  let ledger = new ImportLedger(BEGIN, []);
  const done = new Set<string>();
  for (let isDone = false; !isDone; ) {
    isDone = work(ledger, ledger.blockTasks(), 3, done);
    ledger = await reopen(store, ledger);
    expect(ledger.blocks).toBe(done.size);
  }
  expect(done.size).toBe(HEAD + 1);
  expect([...(indexedNumbers(store) ?? [])]).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]);
  let before = 0;
  for (let isDone = false; !isDone; ) {
    isDone = work(ledger, ledger.stateTasks(), 7, done);
    ledger = await reopen(store, ledger);
    expect(ledger.part).toBeGreaterThanOrEqual(before);
    before = ledger.part;
  }
  expect(ledger.part).toBe(1);
  expect(done.size).toBe(HEAD + 1 + 256);
  expect(ledger.progress).toMatchObject({ ranges: [], parts: [], accounts: ledger.rows, slots: 0 });
  expect(ledger.rows).toBeGreaterThan(256);
});

test("the place of an interrupted storage is kept", async () => {
  await using store = createMemoryStore();
  const ledger = new ImportLedger(BEGIN, []);
  const tasks = ledger.stateTasks();
  const next = tasks.next();
  expect(next.done).toBe(false);
  const part: StatePart = {
    firstByte: 0,
    account: new Uint8Array(32).fill(1),
    storage: { account: new Uint8Array(32).fill(2), slot: new Uint8Array(32).fill(3) },
    accounts: 5,
    slots: 6,
  };
  ledger.note({ kind: "state", part, isDone: false });
  const again = (await reopen(store, ledger)).stateTasks().next();
  expect(again.value).toEqual({ kind: "state", part });
});
