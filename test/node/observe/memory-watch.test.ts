/** Tests of the watch over the memory of the process. */
import { expect, test } from "@jest/globals";
import { silentLog } from "../../../node/observe/log.ts";
import { type MemoryWatch, openMemoryWatch, ownMemory } from "../../../node/observe/memory-watch.ts";
import { until } from "../../support/until.ts";

interface Watched {
  readonly memory: MemoryWatch;
  readonly reported: string[];
  /** The process takes so much from now on; resolves when the watch has seen it. */
  take(bytes: number): Promise<void>;
  fillHeap(share: number): void;
}

function watching(limit: number | undefined): Watched {
  const reported: string[] = [];
  let used = 0;
  let heap = 0;
  const memory = openMemoryWatch({
    limit,
    log: silentLog,
    usedBytes: () => used,
    heapShare: () => heap,
    collect: () => void reported.push("collected"),
    everyMs: 1,
  });
  memory.onTight(() => void reported.push("let go"));
  memory.onShort(() => void reported.push("dropped"));
  return {
    memory,
    reported,
    fillHeap: (share) => {
      heap = share;
    },
    take: async (bytes) => {
      used = bytes;
      await until(() => memory.used === bytes);
    },
  };
}

test("where memory is tight whoever can lets go first, then garbage is collected, again while it stays tight", async () => {
  const { memory, reported, take } = watching(1000);
  using _watch = memory;
  await take(799);
  expect([reported, memory.sheds]).toEqual([[], 0]);
  await take(800);
  expect(reported).toEqual(["let go", "collected"]);
  await until(() => memory.sheds >= 2);
  await take(100);
  const sheds = memory.sheds;
  await take(101);
  expect(memory.sheds).toBe(sheds);
});

test("calls are refused from nine tenths on, until there is a twentieth of the limit more", async () => {
  const { memory, take } = watching(1000);
  using _watch = memory;
  await take(899);
  expect(memory.isShort).toBe(false);
  await take(900);
  expect(memory.isShort).toBe(true);
  await take(850);
  expect(memory.isShort).toBe(true);
  await take(849);
  expect(memory.isShort).toBe(false);
});

test("while the heap of the main thread is full, calls are refused and the dearest holder is dropped", async () => {
  const { memory, reported, fillHeap } = watching(1000);
  using _watch = memory;
  fillHeap(0.89);
  await until(() => memory.sheds > 0);
  expect([memory.isShort, reported]).toEqual([false, ["let go", "collected"]]);
  fillHeap(0.9);
  await until(() => reported.includes("dropped"));
  expect(memory.isShort).toBe(true);
  fillHeap(0.5);
  await until(() => !memory.isShort);
});

test("without a limit nothing is short", async () => {
  const { memory, reported, take } = watching(undefined);
  using _watch = memory;
  await take(Number.MAX_SAFE_INTEGER);
  expect([memory.isShort, reported]).toEqual([false, []]);
});

test("what this process takes is told", () => {
  expect(ownMemory()).toBeGreaterThan(10e6);
  expect(ownMemory()).toBeLessThanOrEqual(process.resourceUsage().maxRSS * 1024);
});
