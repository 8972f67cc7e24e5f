/**
 * Time of the main thread that all peers share: a slice of each turn of the event loop, so that requests and blocks go
 * on whatever peers send. Comes in: short pieces of work, each on account of a peer. Work beyond the slice waits for a
 * later turn, where the peer that has had least time comes first (start-time fair queueing, Goyal, Vin and Cheng 1996).
 */
import { SLICE_MS } from "../runtime/scheduler.ts";

/** The account of one peer. */
export interface TimeShare {
  /**
   * Does the work at once, or in a later turn when the slice is used up. Work of one share is done in order. What the
   * work throws, it throws or rejects with. Of asynchronous work the part before the first `await` counts.
   */
  run<T>(work: () => T | Promise<T>): T | Promise<T>;
}

/** A share without a limit. */
export const UNLIMITED_TIME: TimeShare = { run: (work) => work() };

/** Where a test wants other clocks. */
export interface PeerTimeOptions {
  readonly sliceMs?: number;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly onNextTurn?: (callback: () => void) => void;
}

interface Account {
  /** Virtual time at which its next work may begin. */
  start: number;
  readonly waiting: (() => void)[];
}

/** The slice and who waits for it. */
export class PeerTime {
  readonly #sliceMs: number;
  readonly #now: () => number;
  readonly #onNextTurn: (callback: () => void) => void;
  /** Accounts with waiting work. */
  readonly #accounts = new Set<Account>();
  /** When peers' work began in this turn; undefined before. */
  #since: number | undefined;
  /** Virtual time: the start of the latest work. An account that was idle begins here. */
  #virtual = 0;

  constructor(options: PeerTimeOptions = {}) {
    this.#sliceMs = options.sliceMs ?? SLICE_MS.peers;
    this.#now = options.now ?? (() => performance.now());
    this.#onNextTurn = options.onNextTurn ?? ((callback) => void setImmediate(callback));
  }

  /** A new account. */
  open(): TimeShare {
    const account: Account = { start: 0, waiting: [] };
    return {
      run: <T>(work: () => T | Promise<T>): T | Promise<T> => {
        if (this.#accounts.size === 0 && this.#hasTime()) return this.#charge(account, work);
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
    };
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#since === undefined) this.#begin(now);
    return now - (this.#since ?? now) < this.#sliceMs;
  }

  #begin(now: number): void {
    this.#since = now;
    this.#onNextTurn(() => this.#turn());
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

  /** Takes out the oldest work of the account that has had least time. */
  #first(): () => void {
    let first: Account | undefined;
    for (const account of this.#accounts)
      if (first === undefined || account.start < first.start) first = account;
    const work = first?.waiting.shift();
    if (first === undefined || work === undefined) throw new RangeError("an account without work");
    if (first.waiting.length === 0) this.#accounts.delete(first);
    return work;
  }
}
