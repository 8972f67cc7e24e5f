/**
 * Finds who signed many transactions, in batches for the helper threads, and leaves it on the transactions, where
 * pool and execution find it: senders, the keys of named senders and fee payers, givers of authorizations. What has
 * no usable signature is left alone: whoever needs its signer meets the error and can name it. Nobody who was found
 * before is looked for again.
 */
import type { Recoverer, Signers } from "../crypto/recoverer.ts";
import type { RecoveryJob } from "../crypto/recovery-batch.ts";
import { authorityJob, knowsAuthority, setAuthority } from "../model/authorization.ts";
import {
  knowsSender,
  type RecoveryInput,
  recoveryJob,
  setSender,
  type Transaction,
} from "../model/transaction.ts";
import {
  knowsPayerKeys,
  knowsSenderKeys,
  payerJobs,
  senderJobs,
  setPayerKeys,
  setSenderKeys,
} from "../model/transaction-signers.ts";
import type { Authorization } from "../model/transaction-type.ts";

/** Somebody who waits for the signers of the next `count` jobs. */
interface SignerRequest {
  readonly count: number;
  readonly settle: (signers: Signers) => void;
}

/** Jobs of the threads and the requests behind them. */
interface SignerRequests {
  readonly jobs: RecoveryJob[];
  readonly wishes: SignerRequest[];
}

/**
 * Recovers the signers of transactions and stores them there. Never rejects. Jobs are garbage once handed
 * over, because there are many.
 */
export function recoverSigners(
  recoverer: Recoverer,
  chainId: bigint,
  transactions: readonly Transaction[],
): Promise<void> {
  const addresses: SignerRequests = { jobs: [], wishes: [] };
  const keys: SignerRequests = { jobs: [], wishes: [] };
  for (const tx of transactions) {
    if (!knowsSender(tx, chainId)) wishSender(addresses, tx, chainId);
    if (tx.fields.from !== undefined && !knowsSenderKeys(tx, chainId)) wishSenderKeys(keys, tx, chainId);
    if (tx.fields.feePayer !== undefined && !knowsPayerKeys(tx, chainId)) wishPayerKeys(keys, tx, chainId);
    for (const each of tx.fields.authorizationList ?? [])
      if (!knowsAuthority(each)) wishGiver(addresses, each);
  }
  const settling = [
    settleRequests(addresses.wishes, recoverer.recover(addresses.jobs)),
    settleRequests(keys.wishes, recoverer.recoverKeys(keys.jobs)),
  ];
  return Promise.all(settling).then(() => undefined);
}

function request(
  { jobs, wishes }: SignerRequests,
  make: () => readonly RecoveryInput[],
  settle: (signers: Signers) => void,
): void {
  try {
    const own = make();
    for (const { digest, signature65: signature } of own) jobs.push({ digest, signature });
    wishes.push({ count: own.length, settle });
  } catch {
    // left alone, as said above
  }
}

function wishSender(wishes: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    wishes,
    () => [recoveryJob(tx, chainId)],
    ([sender]) => {
      if (sender !== undefined) setSender(tx, chainId, sender);
    },
  );
}

function wishSenderKeys(wishes: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    wishes,
    () => senderJobs(tx, chainId),
    (keys) => {
      if (areAllThere(keys)) setSenderKeys(tx, chainId, keys);
    },
  );
}

function wishPayerKeys(wishes: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    wishes,
    () => payerJobs(tx, chainId),
    (keys) => {
      if (areAllThere(keys)) setPayerKeys(tx, chainId, keys);
    },
  );
}

/** Nothing is asked for a signature that cannot be anybody's. */
function wishGiver(wishes: SignerRequests, authorization: Authorization): void {
  request(
    wishes,
    () => {
      const job = authorityJob(authorization);
      return job === undefined ? [] : [job];
    },
    ([giver]) => setAuthority(authorization, giver),
  );
}

function areAllThere(keys: Signers): keys is readonly Uint8Array[] {
  return keys.every((key) => key !== undefined);
}

async function settleRequests(wishes: readonly SignerRequest[], recovering: Promise<Signers>): Promise<void> {
  const signers = await recovering;
  let at = 0;
  for (const { count, settle } of wishes) {
    settle(signers.slice(at, at + count));
    at += count;
  }
}
