/** The work queue: once each, one at a time, again after failures. */
import { expect, test } from "@jest/globals";
import { systemClock } from "../../../operator/observe/clock.ts";
import { WorkQueue } from "../../../operator/runtime/queue.ts";
import { until } from "../../support/until.ts";

type Work = (key: string) => Promise<number | undefined>;

function aQueue(work: Work, concurrency = 2, failures: [string, number][] = []): WorkQueue {
  return new WorkQueue({
    work,
    concurrency,
    clock: systemClock,
    chance: () => 0.5,
    onFailure: (key, _error, againMs) => failures.push([key, againMs]),
  });
}

/** Work that ends once `open` is called; `done` are the names in the order of their ends. */
function gatedWork(): { readonly work: Work; readonly done: readonly string[]; readonly open: () => void } {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const done: string[] = [];
  const work: Work = async (key) => {
    await gate;
    done.push(key);
    return undefined;
  };
  return { work, done, open: () => resolve() };
}

test("a name that comes often is worked on once, and once more when it came meanwhile", async () => {
  const { work, done, open } = gatedWork();
  await using queue = aQueue(work);
  for (let i = 0; i < 5; i++) queue.add("a");
  await Promise.resolve();
  for (let i = 0; i < 5; i++) queue.add("a");
  open();
  await until(() => queue.size === 0);
  expect(done).toEqual(["a", "a"]);
});

test("several names are worked on at once, no more than allowed, and never one name twice", async () => {
  let running = 0;
  let most = 0;
  const active = new Set<string>();
  await using queue = aQueue(async (key) => {
    expect(active.has(key)).toBe(false);
    active.add(key);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    active.delete(key);
    return undefined;
  }, 3);
  for (let i = 0; i < 40; i++) queue.add(`k${i % 10}`);
  await until(() => queue.size === 0);
  expect(most).toBe(3);
});

test("work that fails is done again, later each time; work that succeeds begins from the start", async () => {
  const failures: [string, number][] = [];
  let count = 0;
  await using queue = aQueue(
    async () => {
      if (++count <= 2) throw new Error("not yet");
      return undefined;
    },
    1,
    failures,
  );
  queue.add("a");
  await until(() => count === 3);
  expect(failures).toEqual([
    ["a", 500],
    ["a", 1_000],
  ]);
});

test.each([
  [0, 0.75],
  [1, 1.25],
])("the waits double up to two minutes, and are spread: %i", async (chance, factor) => {
  const waits: number[] = [];
  await using queue: WorkQueue = new WorkQueue({
    work: () => Promise.reject(new Error("never")),
    concurrency: 1,
    clock: systemClock,
    chance: () => chance,
    onFailure(key, _error, againMs) {
      waits.push(againMs);
      if (waits.length < 12) queue.add(key); // its name comes again: its wait is over
    },
  });
  queue.add("a");
  await until(() => waits.length === 12);
  const doubled = waits.map((_, index) => Math.min(120_000, 500 * 2 ** index));
  expect(waits).toEqual(doubled.map((wait) => wait * factor));
});

test("work that fails again and again delays no other", async () => {
  const failures: [string, number][] = [];
  const done: string[] = [];
  await using queue = aQueue(
    async (key) => {
      if (key === "bad") throw new Error("never");
      done.push(key);
      return undefined;
    },
    1,
    failures,
  );
  for (const key of ["bad", "a", "b"]) queue.add(key);
  await until(() => queue.size === 0);
  expect([done, failures.length]).toEqual([["a", "b"], 1]);
});

test("work that fails waits at least as long as its failure asks", async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  await using queue = new WorkQueue({
    work: () => Promise.reject(new Error("busy")),
    concurrency: 1,
    clock: systemClock,
    chance: () => 0.5,
    minWait: (error) => (String(error) === "Error: busy" ? 7_000 : 0),
    onFailure: (_key, _error, againMs) => resolve(againMs),
  });
  queue.add("a");
  expect(await promise).toBe(7_000);
});

test("a name that comes without end is worked on ever so often and once a second then; others at once", async () => {
  let now = 1_000_000;
  const done = new Map<string, number>();
  await using queue = new WorkQueue({
    async work(key) {
      done.set(key, (done.get(key) ?? 0) + 1);
      if (key === "fought over") queue.add(key);
      return undefined;
    },
    concurrency: 1,
    clock: { now: () => now },
    chance: () => 0.5,
    onFailure: () => undefined,
  });
  queue.add("fought over");
  await until(() => queue.size === 0);
  expect(done.get("fought over")).toBe(50);
  queue.add("calm");
  await until(() => done.get("calm") === 1);
  queue.add("fought over");
  now += 2_500;
  queue.add("fought over");
  await until(() => queue.size === 0);
  expect(done.get("fought over")).toBe(52);
});

test("work that says when is done again then, or earlier when its name comes", async () => {
  let count = 0;
  await using queue = aQueue(async () => (++count === 1 ? 30 : 60_000));
  queue.add("a");
  await until(() => count === 2);
  queue.addAfter("a", 20);
  await until(() => count === 3);
});

test("a queue that is closed ends its waits and waits for its work", async () => {
  let ended = false;
  const queue = aQueue(async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    ended = true;
    return 1;
  });
  queue.add("a");
  await Promise.resolve();
  await queue[Symbol.asyncDispose]();
  expect(ended).toBe(true);
  queue.add("a");
  queue.addAfter("a", 1);
  expect(queue.size).toBe(0);
});

test("a name that is forgotten is not worked on, neither now nor later", async () => {
  const done: string[] = [];
  await using queue = aQueue(async (key) => {
    done.push(key);
    return undefined;
  }, 1);
  queue.addAfter("later", 10);
  queue.forget("later");
  queue.add("a");
  queue.add("b");
  queue.forget("b");
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(done).toEqual(["a"]);
});

test("an urgent name is worked on before all others, though it waited already, is worked on or comes too often", async () => {
  const { work, done, open } = gatedWork();
  await using queue = aQueue(work, 1);
  for (const key of ["a", "b", "c", "d"]) queue.add(key);
  queue.addUrgent("c");
  queue.addUrgent("a");
  open();
  await until(() => queue.size === 0);
  expect(done).toEqual(["a", "c", "a", "b", "d"]);
});

test("a key that was worked on too often goes on when the clock was set back", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  let runs = 0;
  await using queue: WorkQueue = new WorkQueue({
    work: async (key) => {
      if (++runs < 50) queue.add(key); // its allowance is used up
      return undefined;
    },
    concurrency: 1,
    clock: { now: () => now },
    chance: () => 0.5,
    onFailure: () => undefined,
  });
  queue.add("a");
  await until(() => runs === 50 && queue.size === 0);
  now -= 3_600_000;
  queue.add("a");
  await until(() => runs === 51);
  expect(runs).toBe(51);
});
