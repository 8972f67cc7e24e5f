/**
 * Main-thread time that many strangers share: one slice of each event-loop turn for all of them, so that blocks and
 * other work proceed under any load. Work beyond the slice waits for a later turn, least-served account first
 * (start-time fair queueing, Goyal, Vin and Cheng 1996).
 */
import { SLICE_MS, type Work } from "./scheduler.ts";

/** Account of one peer or connection. */
export interface TimeShare {
  /**
   * Runs the work at once, or in a later turn when the slice is used up. Work of one account runs in order.
   * Errors of the work are thrown or rejected. Of asynchronous work the part before the first `await` counts.
   */
  run<T>(work: () => T | Promise<T>): T | Promise<T>;
  /** Runs the work at once when there is time and nobody waits. Returns false, without running it, otherwise. */
  runNow(work: () => void): boolean;
  /** Runs the work in a later turn. It must not throw. */
  wait(work: () => void): void;
  /** True when the slice of this turn is used up. */
  readonly isOver: boolean;
}

/** Account without a limit. */
export const UNLIMITED_TIME: TimeShare = {
  run: (work) => work(),
  runNow: (work) => {
    work();
    return true;
  },
  wait: (work) => work(),
  isOver: false,
};

/** Clocks for tests. */
export interface FairTimeOptions {
  readonly sliceMs?: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly onNextTurn?: (callback: () => void) => void;
}

interface Account {
  /** Virtual time at which the account's next work may start. */
  start: number;
  readonly waiting: (() => void)[];
}

/** The time slice of one kind of work and the accounts that wait for it. */
export class FairTime {
  readonly #sliceMs: number;
  readonly #now: () => number;
  readonly #onNextTurn: (callback: () => void) => void;
  /** Accounts with waiting work. */
  readonly #accounts = new Set<Account>();
  /** Start of the work in this turn; undefined before it. */
  #since: number | undefined;
  /** Virtual time: the start of the latest work. An idle account restarts here. */
  #virtual = 0;
  readonly #onTurn = (): void => this.#turn();

  constructor(work: Work, options: FairTimeOptions = {}) {
    this.#sliceMs = options.sliceMs ?? SLICE_MS[work];
    this.#now = options.now ?? (() => performance.now());
    this.#onNextTurn = options.onNextTurn ?? ((callback) => void setImmediate(callback));
  }

  /** Opens an account. */
  open(): TimeShare {
    const account: Account = { start: 0, waiting: [] };
    const isFree = (): boolean => this.#accounts.size === 0 && this.#hasTime();
    const isOver = (): boolean => !this.#hasTime();
    return {
      run: <T>(work: () => T | Promise<T>): T | Promise<T> => {
        if (isFree()) return this.#charge(account, work);
        return new Promise<T>((resolve, reject) => {
          this.#wait(account, () => {
            try {
              resolve(this.#charge(account, work));
            } catch (error) {
              reject(error);
            }
          });
        });
      },
      runNow: (work) => {
        if (!isFree()) return false;
        this.#charge(account, work);
        return true;
      },
      wait: (work) => this.#wait(account, () => this.#charge(account, work)),
      get isOver() {
        return isOver();
      },
    };
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#since === undefined) this.#begin(now);
    return now - (this.#since ?? now) < this.#sliceMs;
  }

  #begin(now: number): void {
    this.#since = now;
    this.#onNextTurn(this.#onTurn);
  }

  #turn(): void {
    this.#since = undefined;
    while (this.#accounts.size > 0 && this.#hasTime()) this.#first()();
  }

  #charge<T>(account: Account, work: () => T): T {
    this.#virtual = Math.max(this.#virtual, account.start);
    const began = this.#now();
    try {
      return work();
    } finally {
      account.start = this.#virtual + this.#now() - began;
    }
  }

  #wait(account: Account, work: () => void): void {
    if (account.waiting.length === 0) account.start = Math.max(account.start, this.#virtual);
    account.waiting.push(work);
    this.#accounts.add(account);
    this.#hasTime(); // there is a next turn
  }

  /** Removes and returns the oldest work of the least-served account. */
  #first(): () => void {
    let first: Account | undefined;
    for (const account of this.#accounts)
      if (first === undefined || account.start < first.start) first = account;
    const work = first?.waiting.shift();
    if (first === undefined || work === undefined) throw new RangeError("an account without pending work");
    if (first.waiting.length === 0) this.#accounts.delete(first);
    return work;
  }
}
