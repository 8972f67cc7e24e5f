/**
 * What waits has a budget: a queue with a limit of items and of bytes, and a rate with a limit per second.
 * A full queue refuses (`offer`) or makes its filler wait (`put`); an exhausted rate says how long to wait.
 */
import type { Clock } from "../runtime/clock.ts";

/**
 * Limits of a queue, looked at for each item. One item alone may pass `bytes`, so that no size of item is stuck for
 * ever.
 */
export interface QueueBudget {
  readonly items: number;
  readonly bytes: number;
}

/** First in, first out. After `close` it takes nothing more, and gives `undefined` when it is empty. */
export class BudgetedQueue<T> {
  readonly #budget: QueueBudget;
  readonly #onLeave: ((item: T) => void) | undefined;
  readonly #held: { readonly item: T; readonly bytes: number }[] = [];
  #bytes = 0;
  #closed = false;
  #waiters: (() => void)[] = [];

  /** `onLeave` is called with each item that is taken or dropped. */
  constructor(budget: QueueBudget, onLeave?: (item: T) => void) {
    this.#budget = budget;
    this.#onLeave = onLeave;
  }

  get length(): number {
    return this.#held.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an item, or refuses it because the budget is used up or the queue closed. */
  offer(item: T, bytes: number): boolean {
    if (this.#closed || !this.#fits(bytes)) return false;
    this.#held.push({ item, bytes });
    this.#bytes += bytes;
    this.#wake();
    return true;
  }

  /** Adds an item as soon as there is room; false when the queue was closed. */
  async put(item: T, bytes: number): Promise<boolean> {
    while (!this.#closed && !this.#fits(bytes)) await this.#change();
    return this.offer(item, bytes);
  }

  /** Resolves when at least a quarter of the budget is free again, or with false when the queue was closed. */
  async room(): Promise<boolean> {
    while (!this.#closed && !this.#roomy()) await this.#change();
    return !this.#closed;
  }

  /** The oldest item as soon as there is one; undefined once closed and empty. */
  async take(): Promise<T | undefined> {
    while (!this.#closed && this.#held.length === 0) await this.#change();
    const entry = this.#held.shift();
    if (entry === undefined) return undefined;
    this.#bytes -= entry.bytes;
    this.#onLeave?.(entry.item);
    this.#wake();
    return entry.item;
  }

  /** Ends it; `drop` also forgets what is in it. */
  close(how?: "drop"): void {
    this.#closed = true;
    if (how === "drop") {
      for (const { item } of this.#held) this.#onLeave?.(item);
      this.#held.length = 0;
      this.#bytes = 0;
    }
    this.#wake();
  }

  #fits(bytes: number): boolean {
    const { length } = this.#held;
    return length === 0 || (length < this.#budget.items && this.#bytes + bytes <= this.#budget.bytes);
  }

  #roomy(): boolean {
    return this.#held.length <= this.#budget.items * 0.75 && this.#bytes <= this.#budget.bytes * 0.75;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => void this.#waiters.push(resolve));
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}

/** An empty queue with this budget. */
export function createBudgetedQueue<T>(budget: QueueBudget): BudgetedQueue<T> {
  return new BudgetedQueue(budget);
}

/** A rate: `perSecond` for ever, and `burst` at once. */
export interface RateBudget {
  readonly perSecond: number;
  readonly burst: number;
}

/** Takes `amount` from a rate; the answer is how many milliseconds to wait before going on, mostly 0. */
export function createRate({ perSecond, burst }: RateBudget, clock: Clock): (amount: number) => number {
  let left = burst;
  let last = clock.now();
  return (amount) => {
    const now = clock.now();
    left = Math.min(burst, left + (Math.max(0, now - last) / 1000) * perSecond) - amount;
    last = now;
    return left >= 0 ? 0 : (-left / perSecond) * 1000;
  };
}
