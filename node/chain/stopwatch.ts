/** Durations of the steps of a block from elsewhere, for metrics. */

/** Milliseconds of each step, and of all from its rules to its rows. */
export interface InsertTimes {
  /** Header and body by their rules, and the outcome compared with the header. */
  readonly validate: number;
  readonly execute: number;
  /** Rewards, and what the chain does by itself. */
  readonly finalize: number;
  /** The state hashed. */
  readonly hash: number;
  /** Its rows given to the database, and waited for where it has to be on disk. */
  readonly write: number;
  readonly all: number;
}

/** A clock of steps: each reading is the time since the one before. */
export class Stopwatch {
  readonly #since = performance.now();
  #at = this.#since;

  next(): number {
    const now = performance.now();
    const took = now - this.#at;
    this.#at = now;
    return took;
  }

  get all(): number {
    return performance.now() - this.#since;
  }
}
