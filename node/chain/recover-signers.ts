/**
 * Finds who signed many transactions, in batches for the helper threads, and leaves it on the transactions, where
 * pool and execution find it: senders, the keys of named senders and fee payers, signers of authorizations. That there
 * is none is left there as well: whoever needs the signer meets the error and can name it, and recovers nothing. Nobody
 * who was found before is looked for again.
 */
import type { Signers } from "../crypto/recoverer.ts";
import type { RecoveryJob } from "../crypto/recovery-batch.ts";
import type { SignerRecovery } from "../crypto/recovery-turns.ts";
import { authorityJob, knowsAuthority, setAuthority } from "../model/authorization.ts";
import { knowsSender, recoveryJob, setNoSender, setSender, type Transaction } from "../model/transaction.ts";
import {
  knowsPayerKeys,
  knowsSenderKeys,
  payerInputsOf,
  type SignerInputs,
  senderInputsOf,
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
  recoverer: SignerRecovery,
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
  make: () => SignerInputs,
  settle: (signers: Signers, fault: SignerInputs["fault"]) => void,
): void {
  try {
    const { inputs, fault } = make();
    for (const { digest, signature65: signature } of inputs) jobs.push({ digest, signature });
    requests.push({ count: inputs.length, settle: (signers) => settle(signers, fault) });
  } catch {
    // Refused without a recovery: whoever needs the signer meets the error.
  }
}

function requestSender(requests: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    requests,
    () => ({ inputs: [recoveryJob(tx, chainId)], fault: undefined }),
    ([sender]) => {
      if (sender === undefined) setNoSender(tx, chainId);
      else setSender(tx, chainId, sender);
    },
  );
}

function requestSenderKeys(requests: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    requests,
    () => senderInputsOf(tx, chainId),
    (keys, fault) => setSenderKeys(tx, chainId, { keys, fault }),
  );
}

function requestPayerKeys(requests: SignerRequests, tx: Transaction, chainId: bigint): void {
  request(
    requests,
    () => payerInputsOf(tx, chainId),
    (keys, fault) => setPayerKeys(tx, chainId, { keys, fault }),
  );
}

/** Nothing is asked for a signature that cannot be anybody's. */
function requestAuthority(requests: SignerRequests, authorization: Authorization): void {
  request(
    requests,
    () => {
      const job = authorityJob(authorization);
      return { inputs: job === undefined ? [] : [job], fault: undefined };
    },
    ([authority]) => setAuthority(authorization, authority),
  );
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
