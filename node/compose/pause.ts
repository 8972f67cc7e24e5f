import { setImmediate as nextTurn } from "node:timers/promises";
import type { Pause } from "../execution/block.ts";

/** Longest stretch for which block work holds the thread. */
const SLICE_MS = 5;

/**
 * Gives way to other work whenever a slice of time is used up. It is counted from the first call of a turn of the event
 * loop: work that begins when nothing else was done, such as judging a small block, need not wait for a turn.
 */
export function createPause(): Pause {
  let since: number | undefined;
  const forget = (): void => {
    since = undefined;
  };
  return () => {
    const now = performance.now();
    if (since === undefined) {
      since = now;
      setImmediate(forget);
    }
    return now - since < SLICE_MS ? undefined : nextTurn();
  };
}
