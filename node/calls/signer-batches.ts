/**
 * Recovers the senders of single submissions together under load: submissions of one turn of the event loop
 * wait for its end and share one batch on helper threads. Submissions at a low rate do not wait, unless they have many
 * signatures.
 */
import type { Transaction } from "../model/transaction.ts";
import { signatureCount } from "../model/transaction-signers.ts";

/** Minimum number of submissions in a turn that makes those of the next turn wait for a batch. */
const MIN_BUSY_COUNT = 8;
/** Minimum number of signatures that makes a submission wait: one takes the main thread 44 µs. */
const MIN_SIGNATURES = 8;

/** Batches of submissions whose senders are recovered together. */
export class SignerBatches {
  readonly #recover: (transactions: readonly Transaction[]) => Promise<void>;
  #waiting: { readonly transaction: Transaction; readonly resolve: () => void }[] = [];
  /** Number of submissions in this turn. */
  #count = 0;
  #isBusy = false;

  constructor(recover: (transactions: readonly Transaction[]) => Promise<void>) {
    this.#recover = recover;
  }

  /** Resolves when the sender is recovered. Returns undefined when there is no batch to wait for. */
  join(transaction: Transaction): Promise<void> | undefined {
    if (this.#count++ === 0) setImmediate(() => this.#endTurn());
    if (!this.#isBusy && signatureCount(transaction) < MIN_SIGNATURES) return undefined;
    return new Promise((resolve) => this.#waiting.push({ transaction, resolve }));
  }

  #endTurn(): void {
    this.#isBusy = this.#count >= MIN_BUSY_COUNT;
    this.#count = 0;
    const gathered = this.#waiting;
    if (gathered.length === 0) return;
    this.#waiting = [];
    void this.#recover(gathered.map(({ transaction }) => transaction)).then(() => {
      for (const { resolve } of gathered) resolve();
    });
  }
}
