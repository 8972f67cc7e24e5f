import { setImmediate } from "node:timers/promises";

/** Longest stretch for which long work holds the thread, in milliseconds. */
const SLICE_MS = 4;

/** Runs work at once, whatever it lets in between. */
export function runAtOnce<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs long work in slices, letting everything else run in between. Throws the signal's reason when aborted. */
export async function runInSlices<Result>(
  steps: Generator<unknown, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  let started = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - started < SLICE_MS) continue;
    await setImmediate();
    signal?.throwIfAborted();
    started = performance.now();
  }
}
