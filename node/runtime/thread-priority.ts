/** Lets a thread of less urgent work step back when the machine has more to do than cores. */
import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/** About a third of the processor time of an equal thread that wants it as well (`nice(2)`). */
const LOWER_BY = 5;
const LOWEST = 19;

/** Lowers the calling thread's priority against the other threads. Only Linux has priorities of threads. */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.min(LOWEST, getPriority(thread) + LOWER_BY));
  } catch {
    // a sandbox without /proc, or one that forbids it: the thread is as urgent as the others
  }
}
