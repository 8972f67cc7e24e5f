/**
 * Finds who signed many transactions, in batches for the helper threads, and leaves it on the transactions, where
 * pool and execution find it: senders, the keys of named senders and fee payers, givers of authorizations. What has
 * no usable signature is left alone: whoever needs its signer meets the error and can name it.
 */
import type { Recoverer, Signers } from "../crypto/recoverer.ts";
import type { RecoveryJob } from "../crypto/recovery-batch.ts";
import { authorityJob, setAuthority } from "../model/authorization.ts";
import { type SigningJob, setSender, signingJob, type Transaction } from "../model/transaction.ts";
import { payerJobs, senderJobs, setPayerKeys, setSenderKeys } from "../model/transaction-signers.ts";
import type { Authorization } from "../model/transaction-type.ts";

/** Jobs whose signers belong together, and where they go. */
interface Wish {
  readonly jobs: readonly SigningJob[];
  readonly settle: (signers: Signers) => void;
}

/** See the head of this file. Never rejects. */
export async function recoverSigners(
  recoverer: Recoverer,
  chainId: bigint,
  transactions: readonly Transaction[],
): Promise<void> {
  const addresses: Wish[] = [];
  const keys: Wish[] = [];
  for (const tx of transactions) {
    if (tx.fields.from === undefined) wish(addresses, () => senderWish(tx, chainId));
    else wish(keys, () => senderKeysWish(tx, chainId));
    if (tx.fields.feePayer !== undefined) wish(keys, () => payerKeysWish(tx, chainId));
    for (const each of tx.fields.authorizationList ?? []) wish(addresses, () => giverWish(each));
  }
  await Promise.all([
    settleAll(addresses, (batch) => recoverer.recover(batch)),
    settleAll(keys, (batch) => recoverer.recoverKeys(batch)),
  ]);
}

function wish(wishes: Wish[], make: () => Wish): void {
  try {
    wishes.push(make());
  } catch {
    // left alone, as said above
  }
}

function senderWish(tx: Transaction, chainId: bigint): Wish {
  return {
    jobs: [signingJob(tx, chainId)],
    settle: ([sender]) => {
      if (sender !== undefined) setSender(tx, chainId, sender);
    },
  };
}

function senderKeysWish(tx: Transaction, chainId: bigint): Wish {
  return {
    jobs: senderJobs(tx, chainId),
    settle: (keys) => {
      if (areAllThere(keys)) setSenderKeys(tx, chainId, keys);
    },
  };
}

function payerKeysWish(tx: Transaction, chainId: bigint): Wish {
  return {
    jobs: payerJobs(tx, chainId),
    settle: (keys) => {
      if (areAllThere(keys)) setPayerKeys(tx, chainId, keys);
    },
  };
}

/** Nothing is asked for a signature that cannot be anybody's. */
function giverWish(authorization: Authorization): Wish {
  const job = authorityJob(authorization);
  return {
    jobs: job === undefined ? [] : [job],
    settle: ([giver]) => setAuthority(authorization, giver),
  };
}

function areAllThere(keys: Signers): keys is readonly Uint8Array[] {
  return keys.every((key) => key !== undefined);
}

async function settleAll(
  wishes: readonly Wish[],
  recover: (batch: readonly RecoveryJob[]) => Promise<Signers>,
): Promise<void> {
  if (wishes.length === 0) return;
  const jobs = wishes.flatMap((each) =>
    each.jobs.map(({ digest, signature65 }) => ({ digest, signature: signature65 })),
  );
  const signers = await recover(jobs);
  let at = 0;
  for (const { jobs: own, settle } of wishes) {
    settle(signers.slice(at, at + own.length));
    at += own.length;
  }
}
