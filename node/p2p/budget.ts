/**
 * Budgets of everything that waits for a peer: a queue bounded in items and bytes, a token-bucket rate, and
 * the limits of one session. A full queue refuses an item (`offer`) or delays its producer (`put`). An
 * exhausted rate returns the time to wait.
 */
import type { Clock } from "../runtime/clock.ts";
import type { RateBudget } from "../runtime/owner-rate.ts";

/**
 * Limits of a queue, re-read for each item. An item that is alone in the queue may exceed `bytes`, so that
 * an item of any size gets through.
 */
export interface QueueBudget {
  readonly items: number;
  readonly bytes: number;
}

/**
 * First-in, first-out queue with a budget. After `close` it accepts nothing, and `take` returns undefined
 * once it is empty.
 */
export class BudgetedQueue<T> {
  readonly #budget: QueueBudget;
  readonly #onLeave: ((item: T) => void) | undefined;
  readonly #held: { readonly item: T; readonly bytes: number }[] = [];
  #bytes = 0;
  #closed = false;
  #waiters: (() => void)[] = [];

  /** Creates a queue. `onLeave` is called with each item that is taken or dropped. */
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

  /** Adds an item. Returns false when the budget is exhausted or the queue is closed. */
  offer(item: T, bytes: number): boolean {
    if (this.#closed || !this.#fits(bytes)) return false;
    this.#held.push({ item, bytes });
    this.#bytes += bytes;
    this.#wake();
    return true;
  }

  /** Adds an item as soon as the budget allows. Resolves with false when the queue is closed. */
  async put(item: T, bytes: number): Promise<boolean> {
    while (!this.#closed && !this.#fits(bytes)) await this.#change();
    return this.offer(item, bytes);
  }

  /**
   * Resolves with true when at least a quarter of the budget is free, with false when the queue is closed.
   */
  async waitForRoom(): Promise<boolean> {
    while (!this.#closed && !this.#roomy()) await this.#change();
    return !this.#closed;
  }

  /** Resolves with the oldest item, or with undefined once the queue is closed and empty. */
  async take(): Promise<T | undefined> {
    while (!this.#closed && this.#held.length === 0) await this.#change();
    const entry = this.#held.shift();
    if (entry === undefined) return undefined;
    this.#bytes -= entry.bytes;
    this.#onLeave?.(entry.item);
    this.#wake();
    return entry.item;
  }

  /** Closes the queue; `drop` also discards its items. */
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

/** Creates an empty queue with this budget. */
export function createBudgetedQueue<T>(budget: QueueBudget): BudgetedQueue<T> {
  return new BudgetedQueue(budget);
}

/**
 * Creates a rate. The returned function takes `amount` and returns the milliseconds to wait before going on,
 * usually 0.
 */
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

/** Limits of one session. */
export interface SessionLimits {
  /** Received messages that wait for their protocol. Reading stops when it is exhausted. */
  readonly inbox: QueueBudget;
  /** Messages to be sent. `send` refuses when it is exhausted. */
  readonly outbox: QueueBudget;
  /** Received bytes on the wire and received messages. Reading pauses above it. */
  readonly bytes: RateBudget;
  readonly messages: RateBudget;
  /** Base messages of one connection. A peer above it is disconnected. */
  readonly base: RateBudget;
}

/** Default limits. */
export const SESSION_LIMITS: SessionLimits = {
  inbox: { items: 256, bytes: 16 * 2 ** 20 },
  outbox: { items: 4096, bytes: 32 * 2 ** 20 },
  bytes: { perSecond: 64 * 2 ** 20, burst: 128 * 2 ** 20 },
  messages: { perSecond: 10_000, burst: 20_000 },
  // A Go node sends a ping every 15 seconds and a pong for each of ours (networks/p2p/peer.go@v2.2.2).
  base: { perSecond: 2, burst: 60 },
};
