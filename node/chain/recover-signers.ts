/**
 * Finds who signed many transactions, in batches for the helper threads, and leaves it on the transactions, where
 * pool and execution find it: senders, the keys of named senders and fee payers, signers of authorizations. What has
 * no usable signature is left alone: whoever needs its signer meets the error and can name it. Nobody who was found
 * before is looked for again.
 */
import type { PublicKey } from "../bytes/brands.ts";
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
  readonly requests: SignerRequest[];
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
  const addresses: SignerRequests = { jobs: [], requests: [] };
  const keys: SignerRequests = { jobs: [], requests: [] };
  for (const tx of transactions) {
    if (!knowsSender(tx, chainId)) requestSender(addresses, tx, chainId);
    if (tx.fields.from !== undefined && !knowsSenderKeys(tx, chainId)) requestSenderKeys(keys, tx, chainId);
    if (tx.fields.feePayer !== undefined && !knowsPayerKeys(tx, chainId)) requestPayerKeys(keys, tx, chainId);
    for (const each of tx.fields.authorizationList ?? [])
      if (!knowsAuthority(each)) requestAuthority(addresses, each);
  }
  const settling = [
    settleRequests(addresses.requests, recoverer.recover(addresses.jobs)),
    settleRequests(keys.requests, recoverer.recoverKeys(keys.jobs)),
  ];
  return Promise.all(settling).then(() => undefined);
}

function request(
  { jobs, requests }: SignerRequests,
  make: () => readonly RecoveryInput[],
  settle: (signers: Signers) => void,
): void {
  try {
    const own = make();
    for (const { digest, signature65: signature } of own) jobs.push({ digest, signature });
    requests.push({ count: own.length, settle });
  } catch {
    // left alone, as said above
  }
}

function requestSender(requests: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    requests,
    () => [recoveryJob(tx, chainId)],
    ([sender]) => {
      if (sender !== undefined) setSender(tx, chainId, sender);
    },
  );
}

function requestSenderKeys(requests: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    requests,
    () => senderJobs(tx, chainId),
    (keys) => {
      if (areAllThere(keys)) setSenderKeys(tx, chainId, keys);
    },
  );
}

function requestPayerKeys(requests: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    requests,
    () => payerJobs(tx, chainId),
    (keys) => {
      if (areAllThere(keys)) setPayerKeys(tx, chainId, keys);
    },
  );
}

/** Nothing is asked for a signature that cannot be anybody's. */
function requestAuthority(requests: SignerRequests, authorization: Authorization): void {
  request(
    requests,
    () => {
      const job = authorityJob(authorization);
      return job === undefined ? [] : [job];
    },
    ([authority]) => setAuthority(authorization, authority),
  );
}

function areAllThere(keys: Signers): keys is readonly PublicKey[] {
  return keys.every((key) => key !== undefined);
}

async function settleRequests(
  requests: readonly SignerRequest[],
  recovering: Promise<Signers>,
): Promise<void> {
  const signers = await recovering;
  let at = 0;
  for (const { count, settle } of requests) {
    settle(signers.slice(at, at + count));
    at += count;
  }
}
