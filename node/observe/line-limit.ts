/** A limit for log lines that others cause: one line in an interval, which counts those that were left out. */
import type { Clock } from "../runtime/clock.ts";

/** Interval between two lines, in milliseconds. */
const INTERVAL_MS = 10_000;

/** Writes a line unless one was written within the interval. `others` is the number of lines left out before it. */
export type LimitedLine = (write: (others: number) => void) => void;

/** Creates the limit of one kind of line. The first line is written at once. */
export function createLineLimit(clock: Clock, intervalMs: number = INTERVAL_MS): LimitedLine {
  let nextMs = 0;
  let others = 0;
  return (write) => {
    const now = clock.now();
    if (now < nextMs) {
      others++;
      return;
    }
    nextMs = now + intervalMs;
    write(others);
    others = 0;
  };
}
