/**
 * Names that wait to be worked on: each once, each by one worker at a time, a few at once. Work that fails is done
 * again after a wait that doubles; work that says when is done again then. A name that comes without end, such as
 * that of an object over which two programs fight, is worked on once a second and delays no other. Urgent names go
 * before all others: what somebody has just asked for does not wait for what is looked at anyway.
 */
import type { Clock } from "../observe/clock.ts";
import type { QueueMetrics, WorkResult } from "../observe/queue-metrics.ts";

/** What a queue is made of. */
export interface QueueOptions {
  /** Works on a name; gives the milliseconds after which it is to be worked on again, if at all. */
  readonly work: (key: string, signal: AbortSignal) => Promise<number | undefined>;
  /** Milliseconds that a failure asks to wait at least. */
  readonly leastWait?: (error: unknown) => number;
  /** Hears of work that failed. */
  readonly failed: (key: string, error: unknown, againMs: number) => void;
  /** Hears of every name that comes, is worked on and comes again. */
  readonly metrics?: QueueMetrics;
  readonly concurrency: number;
  readonly clock: Clock;
  /** 0 to 1; spreads the waits. */
  readonly chance: () => number;
}

interface Timer {
  readonly at: number;
  readonly handle: NodeJS.Timeout;
}

/** How often a name is worked on without a wait, and how long it takes until it may be once more. */
interface Allowance {
  readonly left: number;
  readonly at: number;
}

const BURST = 50;
const EVERY_MS = 1_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 120_000;

/** The queue. Disposing it ends all waits and resolves when no work runs. */
export class WorkQueue implements AsyncDisposable {
  readonly #options: QueueOptions;
  /** Since when each waits, milliseconds since the epoch. */
  readonly #waiting = new Map<string, number>();
  /** Those that waited for longest come first in either. */
  readonly #urgent = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  /** Names that came again while they were worked on. */
  readonly #again = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  readonly #allowances = new Map<string, Allowance>();
  readonly #closing = new AbortController();
  #worked = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** How many names wait or are worked on. */
  get size(): number {
    return this.#waiting.size + this.#running.size;
  }

  /** How many names wait. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** How often work has begun. */
  get worked(): number {
    return this.#worked;
  }

  /** Works on a name soon. */
  add(key: string): void {
    this.#add(key);
  }

  /** Works on a name before all that are not urgent. */
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

  /** Works on a name later; an earlier time that is set already stays. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#closing.signal.aborted || this.#waiting.has(key)) return;
    const at = this.#options.clock.now() + milliseconds;
    const set = this.#timers.get(key);
    if (set !== undefined && set.at <= at) return;
    this.#stopTimer(key);
    this.#timers.set(key, { at, handle: setTimeout(() => this.add(key), milliseconds) });
  }

  /** Forgets a name: nothing is left of its failures and times. */
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

  /** Takes a name in, unless it has come too often: then as soon as it may. */
  #enter(key: string): void {
    if (this.#waiting.has(key)) return;
    const now = this.#options.clock.now();
    const { left, at } = this.#allowances.get(key) ?? { left: BURST, at: now };
    const there = Math.min(BURST, left + Math.max(0, now - at) / EVERY_MS);
    if (there < 1) return this.addAfter(key, Math.ceil((1 - there) * EVERY_MS));
    this.#allowances.set(key, { left: there - 1, at: now });
    this.#waiting.set(key, now);
    this.#options.metrics?.added();
  }

  #begin(): void {
    for (const key of this.#urgent) this.#start(key);
    for (const key of this.#waiting.keys()) {
      if (this.#running.size >= this.#options.concurrency) return;
      this.#start(key);
    }
  }

  /** A name that is worked on at the moment, or may not be yet, stays urgent. */
  #start(key: string): void {
    const since = this.#waiting.get(key);
    if (since === undefined || this.#running.size >= this.#options.concurrency) return;
    this.#waiting.delete(key);
    this.#urgent.delete(key);
    this.#options.metrics?.began((this.#options.clock.now() - since) / 1_000);
    this.#worked++;
    this.#running.set(key, this.#run(key));
  }

  async #run(key: string): Promise<void> {
    await Promise.resolve(); // so that the map has this work before it can end
    const { metrics } = this.#options;
    const began = performance.now();
    const ended = (result: WorkResult): void => metrics?.ended((performance.now() - began) / 1_000, result);
    try {
      const after = await this.#options.work(key, this.#closing.signal);
      ended(after === undefined ? "success" : "requeue_after");
      this.#failures.delete(key);
      if (after !== undefined) this.addAfter(key, after);
    } catch (error) {
      ended("error");
      metrics?.retried();
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      const wait = Math.max(this.#backOff(failures), this.#options.leastWait?.(error) ?? 0);
      if (!this.#closing.signal.aborted) this.#options.failed(key, error, wait);
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
