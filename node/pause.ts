import { setImmediate } from "node:timers/promises";
import type { Pause } from "./execution/block.ts";

/** Longest stretch for which block work holds the thread. */
const SLICE_MS = 5;

/** Gives way to other work whenever a slice of time is used up. */
export function createPause(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
