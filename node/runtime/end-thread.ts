/** Ends a thread by its own hand. */
import { setTimeout } from "node:timers/promises";
import type { Worker } from "node:worker_threads";

/** A thread that does not end by itself is not waited for any longer. */
const LONGEST_ENDING_MS = 5_000;

/**
 * Gives a thread null, on which it has to close its port, and waits until it is gone. A thread that is terminated
 * while it loads code can take the process along, so that comes last, after `patienceMs`.
 */
export async function endThread(worker: Worker, patienceMs = LONGEST_ENDING_MS): Promise<void> {
  worker.ref();
  const gone = new Promise((resolve) => worker.once("exit", resolve));
  worker.postMessage(null, []);
  const patience = new AbortController();
  const waited = setTimeout(patienceMs, undefined, { signal: patience.signal });
  await Promise.race([gone, waited.catch(() => undefined)]);
  patience.abort();
  await worker.terminate();
}
