import type { Recoverer } from "../crypto/recoverer.ts";
import { setSender, signingJob, type Transaction } from "../model/transaction.ts";

/**
 * Finds the senders of many transactions in one batch and leaves them on the transactions. One without a usable
 * signature is left alone: whoever needs its sender meets the error and can name it.
 */
export async function recoverSenders(
  recoverer: Recoverer,
  chainId: bigint,
  transactions: readonly Transaction[],
): Promise<void> {
  const usable: Transaction[] = [];
  const jobs: { digest: Uint8Array; signature: Uint8Array }[] = [];
  for (const tx of transactions) {
    try {
      const { digest, signature65 } = signingJob(tx, chainId);
      jobs.push({ digest, signature: signature65 });
      usable.push(tx);
    } catch {
      // Left alone, as said above.
    }
  }
  const senders = await recoverer.recover(jobs);
  for (const [i, tx] of usable.entries()) {
    const sender = senders[i];
    if (sender !== undefined) setSender(tx, chainId, sender);
  }
}
