/**
 * The engine's space for young objects. At its first size, 1 MB a half, an import of many blocks collects it hundreds
 * of times a second, waits for helper threads each time, and what outlives a collection but not its block is copied
 * twice. Left to itself the space grows to 64 MB a half, which is memory for nothing.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Bytes of both halves. */
const ENLARGED = 32 * 1024 * 1024;
const GROW = "--semi-space-growth-factor=16";
const GROW_NO_MORE = "--semi-space-growth-factor=1";
/** The space grows when more than its size has outlived a collection: a few megabytes do. */
const MOST_ROUNDS = 32;
const OBJECTS = 8192;

/** Enlarges the space of this thread, once, to 16 MB a half. Takes some milliseconds. */
export function enlargeYoungSpace(): void {
  setFlagsFromString(GROW);
  const survivors: object[][] = [];
  while (youngBytes() < ENLARGED && survivors.length < MOST_ROUNDS) {
    survivors.push(Array.from({ length: OBJECTS }, () => ({ survivors })));
  }
  setFlagsFromString(GROW_NO_MORE);
}

function youngBytes(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? ENLARGED
  );
}
