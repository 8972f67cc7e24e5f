/**
 * The engine's space for young objects. At its first size, 1 MB a half, an import of many blocks collects it hundreds
 * of times a second, waits for helper threads each time, and what outlives a collection but not its block is copied
 * twice. Left to itself the space grows to 64 MB a half, which is memory for nothing.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const MIB = 1024 * 1024;
/** Half of it, in MiB: for an import, and for a node with much to do. */
const IMPORT_HALF = 8;
const BUSY_HALF = 4;
const GROW_NO_MORE = "--semi-space-growth-factor=1";
/** The space grows when more than its size has outlived a collection: a few megabytes do. */
const MAX_ROUNDS = 32;
const OBJECTS = 8192;
const LOOK_MS = 500;
/** Of the time between two looks, and of that before: the end of a start does not count. */
const BUSY_SHARE = 0.5;

/** Enlarges the space of this thread, once, to `half` MiB a half. Takes some milliseconds. */
export function enlargeYoungSpace(half = IMPORT_HALF): void {
  setFlagsFromString(`--semi-space-growth-factor=${half}`); // it begins with 1 MiB
  const survivors: object[][] = [];
  while (youngBytes() < 2 * half * MIB && survivors.length < MAX_ROUNDS) {
    survivors.push(Array.from({ length: OBJECTS }, () => ({ survivors })));
  }
  setFlagsFromString(GROW_NO_MORE);
}

/** Lets threads that begin from now on have `half` MiB a half at once. */
export function enlargeInThreads(half = IMPORT_HALF): void {
  setFlagsFromString(`--min-semi-space-size=${half}`);
}

/**
 * Enlarges it a little once this thread has been at work for most of a second. While other threads want the same
 * cores, each collection waits for its helpers, and four times fewer wait four times less; a node at rest stays small.
 * Disposing ends the looking. Threads collect alone: waking helpers costs more than they take off, most of all where
 * several nodes share a machine.
 */
export function enlargeWhenBusy(everyMs = LOOK_MS): Disposable {
  setFlagsFromString("--no-parallel-scavenge");
  let before = performance.eventLoopUtilization();
  let wasBusy = false;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const isBusy = utilization >= BUSY_SHARE;
    if (isBusy && wasBusy) {
      clearInterval(timer);
      enlargeYoungSpace(BUSY_HALF);
    }
    wasBusy = isBusy;
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function youngBytes(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ??
    Number.POSITIVE_INFINITY
  );
}
