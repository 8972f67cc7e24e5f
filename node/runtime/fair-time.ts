/**
 * Main-thread time that many strangers share: one slice of each event-loop turn for all of them, so that blocks and
 * other work proceed under any load. Work beyond the slice waits for a later turn, in the fair order of
 * `fair-queue.ts`. Work is expected to take as long as the one before of its account, or as its bytes take.
 */
import { type FairAccount, FairQueue } from "./fair-queue.ts";
import { SLICE_MS, type Work } from "./scheduler.ts";

/** Account of one peer or connection. */
export interface TimeShare {
  /**
   * Runs the work at once, or in a later turn when the slice is used up. Work of one account runs in order.
   * Errors of the work are thrown or rejected. Of asynchronous work the part before the first `await` counts.
   */
  run<T>(work: () => T | Promise<T>): T | Promise<T>;
  /**
   * Begins synchronous work when there is time and nobody waits; it ends when the result is disposed of. Returns
   * undefined when the work must wait.
   */
  begin(): Disposable | undefined;
  /** Runs the work on so many bytes in a later turn. It must not throw. */
  wait(work: () => void, bytes: number): void;
  /** True when the slice of this turn is used up. */
  readonly isOver: boolean;
}

/** Milliseconds that a byte of a request may take: 500 kB of JSON with as many objects as it can hold take about 20. */
const MS_A_BYTE = 1 / 25_000;

const NO_TURN: Disposable = { [Symbol.dispose]: () => undefined };

/** Account without a limit. */
export const UNLIMITED_TIME: TimeShare = {
  run: (work) => work(),
  begin: () => NO_TURN,
  wait: (work) => work(),
  isOver: false,
};

/** Runs steps as work of an account, each when there is time for it. Rejects with their error. */
export async function runStepsOf<Result>(
  time: TimeShare,
  steps: Generator<unknown, Result>,
): Promise<Result> {
  for (;;) {
    const step = await time.run(() => steps.next());
    if (step.done === true) return step.value;
  }
}

/** Clocks for tests. */
export interface FairTimeOptions {
  readonly sliceMs?: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly onNextTurn?: (callback: () => void) => void;
}

type Account = FairAccount<() => void>;

/** The time slice of one kind of work and the accounts that wait for it. */
export class FairTime {
  readonly #sliceMs: number;
  readonly #now: () => number;
  readonly #onNextTurn: (callback: () => void) => void;
  readonly #queue = new FairQueue<() => void>();
  /** Start of the work in this turn; undefined before it. */
  #since: number | undefined;
  readonly #onTurn = (): void => this.#turn();

  constructor(work: Work, options: FairTimeOptions = {}) {
    this.#sliceMs = options.sliceMs ?? SLICE_MS[work];
    this.#now = options.now ?? (() => performance.now());
    this.#onNextTurn = options.onNextTurn ?? ((callback) => void setImmediate(callback));
  }

  /**
   * Opens an account. Accounts with the same name of an owner, such as connections of one address, have the share of
   * one; an account without is an owner of its own.
   */
  open(ownerName?: string): TimeShare {
    const account = this.#queue.open(ownerName);
    const isFree = (): boolean => this.#queue.isEmpty && this.#hasTime();
    const isOver = (): boolean => !this.#hasTime();
    return {
      run: <T>(work: () => T | Promise<T>): T | Promise<T> => {
        if (isFree()) {
          this.#queue.beginAtOnce(account);
          return this.#charge(account, work);
        }
        return new Promise<T>((resolve, reject) => {
          this.#wait(account, 0, () => {
            try {
              resolve(this.#charge(account, work));
            } catch (error) {
              reject(error);
            }
          });
        });
      },
      begin: () => (isFree() ? this.#beginAtOnce(account) : undefined),
      wait: (work, bytes) => this.#wait(account, bytes * MS_A_BYTE, () => this.#charge(account, work)),
      get isOver() {
        return isOver();
      },
    };
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#since === undefined) this.#beginTurn(now);
    return now - (this.#since ?? now) < this.#sliceMs;
  }

  #beginTurn(now: number): void {
    this.#since = now;
    this.#onNextTurn(this.#onTurn);
  }

  #turn(): void {
    this.#since = undefined;
    while (!this.#queue.isEmpty && this.#hasTime()) this.#queue.take()();
  }

  #charge<T>(account: Account, work: () => T): T {
    using _work = this.#meter(account);
    return work();
  }

  #beginAtOnce(account: Account): Disposable {
    this.#queue.beginAtOnce(account);
    return this.#meter(account);
  }

  /** Charges work to an account when the result is disposed of. */
  #meter(account: Account): Disposable {
    const began = this.#now();
    return { [Symbol.dispose]: () => this.#queue.charge(account, this.#now() - began) };
  }

  #wait(account: Account, expectedMs: number, work: () => void): void {
    this.#queue.add(account, work, expectedMs);
    this.#hasTime(); // there is a next turn
  }
}
