/** Ends worker threads without terminating them. */
import { setTimeout } from "node:timers/promises";
import type { Worker } from "node:worker_threads";

/** Longest wait for a thread to end. */
const MAX_ENDING_MS = 5_000;

/**
 * Posts null to a thread, which then closes its port, and waits for its exit. A thread that is terminated
 * while it loads code can take the process along, so that comes last, after `patienceMs` and `prepare`.
 */
export async function endThread(
  worker: Worker,
  patienceMs = MAX_ENDING_MS,
  prepare?: () => Promise<void>,
): Promise<void> {
  worker.ref();
  const gone = new Promise((resolve) => worker.once("exit", resolve));
  worker.postMessage(null, []);
  const patience = new AbortController();
  const waited = setTimeout(patienceMs, undefined, { signal: patience.signal });
  await Promise.race([gone, waited.catch(() => undefined)]);
  patience.abort();
  await prepare?.();
  await worker.terminate();
}
