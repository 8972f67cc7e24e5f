/** Who signed a transaction: the public keys behind its signatures, for `validateSigners`; and how fee payers sign. */
import { TransactionError } from "./error.ts";
import {
  assembleTransaction,
  recoverable,
  recoveredKey,
  type Sign,
  type SigningJob,
  signaturesBy,
  type Transaction,
} from "./transaction.ts";
import { badSignature, inRange } from "./transaction-parts.ts";

/** What recovers the sender's keys, one for each signature. Throws `TransactionError`. */
export function senderJobs(tx: Transaction, chainId: bigint): readonly SigningJob[] {
  const signatures = tx.signatures.map((signature) => recoverable(tx, signature, chainId));
  const digest = tx.type.digest(tx);
  return signatures.map((signature65) => ({ digest, signature65 }));
}

/** What recovers the fee payer's keys. Throws `TransactionError`, `no-fee-payer` where there is none. */
export function payerJobs(tx: Transaction, chainId: bigint): readonly SigningJob[] {
  const digest = payerDigest(tx, chainId);
  return (tx.fields.payerSignatures ?? []).map((signature) => {
    if (!inRange(signature)) throw badSignature();
    return { digest, signature65: recoverable(tx, signature, chainId) };
  });
}

/** Keys for the chain that they were recovered for. */
interface FoundKeys {
  readonly chainId: bigint;
  readonly keys: readonly Uint8Array[];
}

/** Kept for as long as the transaction object itself; transactions never change. */
const foundSenderKeys = new WeakMap<Transaction, FoundKeys>();
const foundPayerKeys = new WeakMap<Transaction, FoundKeys>();

/**
 * The 64-byte public keys that signed as the sender, in the signatures' order, recovered once. Throws
 * `TransactionError`.
 */
export function senderKeys(tx: Transaction, chainId: bigint): readonly Uint8Array[] {
  const found = foundSenderKeys.get(tx);
  if (found?.chainId === chainId) return found.keys;
  return setSenderKeys(tx, chainId, senderJobs(tx, chainId).map(recoveredKey));
}

/** The 64-byte public keys that signed as the fee payer, recovered once. Throws `TransactionError`. */
export function payerKeys(tx: Transaction, chainId: bigint): readonly Uint8Array[] {
  const found = foundPayerKeys.get(tx);
  if (found?.chainId === chainId) return found.keys;
  return setPayerKeys(tx, chainId, payerJobs(tx, chainId).map(recoveredKey));
}

/** Whether the sender's keys were found before for this chain. */
export function knowsSenderKeys(tx: Transaction, chainId: bigint): boolean {
  return foundSenderKeys.get(tx)?.chainId === chainId;
}

/** The same of the fee payer's keys. */
export function knowsPayerKeys(tx: Transaction, chainId: bigint): boolean {
  return foundPayerKeys.get(tx)?.chainId === chainId;
}

/** Tells a transaction the keys recovered elsewhere from its `senderJobs` for the same chain; gives them back. */
export function setSenderKeys(
  tx: Transaction,
  chainId: bigint,
  keys: readonly Uint8Array[],
): readonly Uint8Array[] {
  foundSenderKeys.set(tx, { chainId, keys });
  return keys;
}

/** The same for the keys from its `payerJobs`. */
export function setPayerKeys(
  tx: Transaction,
  chainId: bigint,
  keys: readonly Uint8Array[],
): readonly Uint8Array[] {
  foundPayerKeys.set(tx, { chainId, keys });
  return keys;
}

/**
 * The transaction with `feePayer` as its fee payer, who signs it; the sender's signatures, if any, stay. Throws
 * `TransactionError` `no-fee-payer` for a kind that has none.
 */
export function signAsFeePayer(
  tx: Transaction,
  { feePayer, chainId }: { readonly feePayer: Uint8Array; readonly chainId: bigint },
  sign: Sign,
): Transaction {
  const fields = { ...tx.fields, feePayer };
  const digest = payerDigest(
    { ...contentOf(tx), fields, hash: tx.hash, senderTxHash: tx.senderTxHash },
    chainId,
  );
  const payerSignatures = signaturesBy(sign, digest, { type: tx.type, chainId });
  const draft = { ...contentOf(tx), code: tx.type.code, fields: { ...fields, payerSignatures } };
  return assembleTransaction(draft, chainId, tx.signatures);
}

function payerDigest(tx: Transaction, chainId: bigint): Uint8Array {
  const digest = tx.type.payerDigest?.(tx, chainId);
  if (digest !== undefined) return digest;
  throw new TransactionError("no-fee-payer", "not a fee delegation transaction");
}

function contentOf(tx: Transaction): Omit<Transaction, "hash" | "senderTxHash"> {
  const { type, nonce, gas, gasFeeCap, gasTipCap, value, to, input, chainId, fields, signatures, raw } = tx;
  return { type, nonce, gas, gasFeeCap, gasTipCap, value, to, input, chainId, fields, signatures, raw };
}
