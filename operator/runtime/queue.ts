/**
 * A work queue as in client-go: each key is queued once and processed by one worker at a time. Failed keys
 * are retried with exponential backoff, others after the delay that their work returns. A key that is added
 * all the time, such as that of an object that two programs change, is processed once a second and delays no
 * other. Urgent keys, which a user has just changed, go first.
 */
import type { Clock } from "../observe/clock.ts";
import type { QueueMetrics, WorkResult } from "../observe/queue-metrics.ts";

/** Options of a queue. */
export interface QueueOptions {
  /** Processes a key; returns the milliseconds after which to process it again, if at all. */
  readonly work: (key: string, signal: AbortSignal) => Promise<number | undefined>;
  /** Returns the minimum delay in milliseconds after a failure. */
  readonly minWait?: (error: unknown) => number;
  /** Called after a failure. */
  readonly onFailure: (key: string, error: unknown, againMs: number) => void;
  /** Receives the events of the queue. */
  readonly metrics?: QueueMetrics;
  readonly concurrency: number;
  readonly clock: Clock;
  /** Random number from 0 to 1, which spreads the delays. */
  readonly chance: () => number;
}

interface Timer {
  readonly at: number;
  readonly handle: NodeJS.Timeout;
}

/** Token bucket of a key: the runs without a delay that are left. */
interface Allowance {
  readonly left: number;
  readonly at: number;
}

const BURST = 50;
const EVERY_MS = 1_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 120_000;

/** The queue. Disposing it cancels all delays and resolves when no work runs. */
export class WorkQueue implements AsyncDisposable {
  readonly #options: QueueOptions;
  /** Time since which each key waits, milliseconds since the epoch. */
  readonly #waiting = new Map<string, number>();
  /** Urgent keys, in the order of their arrival. */
  readonly #urgent = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  /** Keys that were added while they were processed. */
  readonly #again = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  readonly #allowances = new Map<string, Allowance>();
  readonly #closing = new AbortController();
  #runs = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Number of keys that wait or are processed. */
  get size(): number {
    return this.#waiting.size + this.#running.size;
  }

  /** Number of keys that wait. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Number of runs that were started. */
  get runs(): number {
    return this.#runs;
  }

  /** Adds a key. */
  add(key: string): void {
    this.#add(key);
  }

  /** Adds a key in front of those that are not urgent. */
  addUrgent(key: string): void {
    this.#urgent.add(key);
    this.#add(key);
  }

  #add(key: string): void {
    if (this.#closing.signal.aborted) return;
    this.#stopTimer(key);
    if (this.#running.has(key)) this.#again.add(key);
    else this.#enter(key);
    this.#begin();
  }

  /** Adds a key after a delay. An earlier time that is set already stays. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#closing.signal.aborted || this.#waiting.has(key)) return;
    const at = this.#options.clock.now() + milliseconds;
    const set = this.#timers.get(key);
    if (set !== undefined && set.at <= at) return;
    this.#stopTimer(key);
    this.#timers.set(key, { at, handle: setTimeout(() => this.add(key), milliseconds) });
  }

  /** Forgets a key with its failures and delays. */
  forget(key: string): void {
    this.#stopTimer(key);
    this.#failures.delete(key);
    this.#allowances.delete(key);
    this.#waiting.delete(key);
    this.#urgent.delete(key);
    this.#again.delete(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const { handle } of this.#timers.values()) clearTimeout(handle);
    this.#timers.clear();
    this.#waiting.clear();
    this.#urgent.clear();
    await Promise.all(this.#running.values());
  }

  /** Queues a key, or delays it when its token bucket is empty. */
  #enter(key: string): void {
    if (this.#waiting.has(key)) return;
    const now = this.#options.clock.now();
    const { left, at } = this.#allowances.get(key) ?? { left: BURST, at: now };
    const there = Math.min(BURST, left + Math.abs(now - at) / EVERY_MS); // also after the clock was set back
    if (there < 1) return this.addAfter(key, Math.ceil((1 - there) * EVERY_MS));
    this.#allowances.set(key, { left: there - 1, at: now });
    this.#waiting.set(key, now);
    this.#options.metrics?.countAddition();
  }

  #begin(): void {
    for (const key of this.#urgent) this.#start(key);
    for (const key of this.#waiting.keys()) {
      if (this.#running.size >= this.#options.concurrency) return;
      this.#start(key);
    }
  }

  /** Starts work. A key that is being processed, or is delayed, stays urgent. */
  #start(key: string): void {
    const since = this.#waiting.get(key);
    if (since === undefined || this.#running.size >= this.#options.concurrency) return;
    this.#waiting.delete(key);
    this.#urgent.delete(key);
    this.#options.metrics?.observeStart((this.#options.clock.now() - since) / 1_000);
    this.#runs++;
    this.#running.set(key, this.#run(key));
  }

  async #run(key: string): Promise<void> {
    await Promise.resolve(); // so that the map has this work before it can end
    const { metrics } = this.#options;
    const began = performance.now();
    const observeEnd = (result: WorkResult): void =>
      metrics?.observeEnd((performance.now() - began) / 1_000, result);
    try {
      const after = await this.#options.work(key, this.#closing.signal);
      observeEnd(after === undefined ? "success" : "requeue_after");
      this.#failures.delete(key);
      if (after !== undefined) this.addAfter(key, after);
    } catch (error) {
      observeEnd("error");
      metrics?.countRetry();
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      const wait = Math.max(this.#backOff(failures), this.#options.minWait?.(error) ?? 0);
      if (!this.#closing.signal.aborted) this.#options.onFailure(key, error, wait);
      this.addAfter(key, wait);
    }
    this.#running.delete(key);
    if (this.#again.delete(key)) this.add(key);
    else this.#begin();
  }

  #backOff(failures: number): number {
    const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 16));
    return Math.round(wait * (0.75 + this.#options.chance() / 2));
  }

  #stopTimer(key: string): void {
    clearTimeout(this.#timers.get(key)?.handle);
    this.#timers.delete(key);
  }
}
