/**
 * Single submissions under load: those of one turn of the event loop wait for its end, so that who signed them is
 * found for all at once, on helper threads. While there are only a few, nobody waits.
 */
import type { Transaction } from "../model/transaction.ts";

/** So many in one turn make those of the next wait for each other. */
const LEAST = 8;

/** See above. */
export class GatheredSigners {
  readonly #recover: (transactions: readonly Transaction[]) => Promise<void>;
  #waiting: { readonly transaction: Transaction; readonly resolve: () => void }[] = [];
  /** Submissions of this turn. */
  #count = 0;
  #isBusy = false;

  constructor(recover: (transactions: readonly Transaction[]) => Promise<void>) {
    this.#recover = recover;
  }

  /** Resolves when the signers are found; undefined when there is nothing to wait for. */
  join(transaction: Transaction): Promise<void> | undefined {
    if (this.#count++ === 0) setImmediate(() => this.#endTurn());
    if (!this.#isBusy) return undefined;
    return new Promise((resolve) => this.#waiting.push({ transaction, resolve }));
  }

  #endTurn(): void {
    this.#isBusy = this.#count >= LEAST;
    this.#count = 0;
    const gathered = this.#waiting;
    if (gathered.length === 0) return;
    this.#waiting = [];
    void this.#recover(gathered.map(({ transaction }) => transaction)).then(() => {
      for (const { resolve } of gathered) resolve();
    });
  }
}
