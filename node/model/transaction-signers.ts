/**
 * Signers of a transaction: the public keys behind its signatures, for `validateSigners`, and the fee payer's
 * signature.
 */
import type { Address, Hash, PublicKey } from "../bytes/brands.ts";
import { TransactionError } from "./error.ts";
import {
  assembleTransaction,
  type RecoveryInput,
  recoverKey,
  recoveryInput,
  type Sign,
  signDigest,
  type Transaction,
} from "./transaction.ts";
import { badSignature, hasLowS, inRange, signatureBytes } from "./transaction-codec.ts";

/** Returns the recovery inputs of the sender's keys, one for each signature. Throws `TransactionError`. */
export function senderJobs(tx: Transaction, chainId: bigint): readonly RecoveryInput[] {
  return [...senderInputs(tx, chainId)];
}

/**
 * Returns the recovery inputs of the fee payer's keys. Throws `TransactionError`, `no-fee-payer` for types
 * without one.
 */
export function payerJobs(tx: Transaction, chainId: bigint): readonly RecoveryInput[] {
  return [...payerInputs(tx, chainId)];
}

/** Gives one input after the other, so that the first bad signature decides the error, as in the Go node. */
function* senderInputs(tx: Transaction, chainId: bigint): Generator<RecoveryInput, void> {
  const digest = tx.type.digest(tx);
  for (const signature of tx.signatures) yield { digest, signature65: recoveryInput(tx, signature, chainId) };
}

function* payerInputs(tx: Transaction, chainId: bigint): Generator<RecoveryInput, void> {
  const digest = payerDigest(tx, chainId);
  if (tx.signatures.length > 0 && tx.chainId !== chainId)
    throw new TransactionError("wrong-chain-id", "invalid chain id for signer");
  for (const signature of tx.fields.payerSignatures ?? []) {
    const parity = payerParity(signature.v, chainId);
    if (parity === undefined || !inRange(signature) || !hasLowS(signature)) throw badSignature();
    yield { digest, signature65: signatureBytes(signature, parity) };
  }
}

/**
 * Returns the parity that V of a fee payer's signature stands for, or undefined. Decoding accepts any V of a fee payer,
 * and the Go node takes the absolute value of V - 2 * chain id - 8 as 27 or 28, so two more values are valid
 * (`recoverPlainCommon` in blockchain/types/transaction_signing.go@v2.2.2).
 */
function payerParity(v: bigint, chainId: bigint): number | undefined {
  const rest = v - 2n * chainId - 8n;
  const plain = (rest < 0n ? -rest : rest) - 27n;
  return plain === 0n || plain === 1n ? Number(plain) : undefined;
}

/** Recovered keys and the chain id that they hold for. */
interface RecoveredKeys {
  readonly chainId: bigint;
  readonly keys: readonly PublicKey[];
}

/** Recovered keys, kept as long as the transaction object; transactions never change. */
const recoveredSenderKeys = new WeakMap<Transaction, RecoveredKeys>();
const recoveredPayerKeys = new WeakMap<Transaction, RecoveredKeys>();

/**
 * Returns the sender's 64-byte public keys in the order of the signatures, recovered once. Throws
 * `TransactionError`.
 */
export function senderKeys(tx: Transaction, chainId: bigint): readonly PublicKey[] {
  const found = recoveredSenderKeys.get(tx);
  if (found?.chainId === chainId) return found.keys;
  return setSenderKeys(tx, chainId, Array.from(senderInputs(tx, chainId), recoverKey));
}

/** Returns the fee payer's 64-byte public keys, recovered once. Throws `TransactionError`. */
export function payerKeys(tx: Transaction, chainId: bigint): readonly PublicKey[] {
  const found = recoveredPayerKeys.get(tx);
  if (found?.chainId === chainId) return found.keys;
  return setPayerKeys(tx, chainId, Array.from(payerInputs(tx, chainId), recoverKey));
}

/** True when the sender's keys have been recovered for this chain. */
export function knowsSenderKeys(tx: Transaction, chainId: bigint): boolean {
  return recoveredSenderKeys.get(tx)?.chainId === chainId;
}

/** True when the fee payer's keys have been recovered for this chain. */
export function knowsPayerKeys(tx: Transaction, chainId: bigint): boolean {
  return recoveredPayerKeys.get(tx)?.chainId === chainId;
}

/** Stores and returns keys that were recovered elsewhere from `senderJobs` for the same chain. */
export function setSenderKeys(
  tx: Transaction,
  chainId: bigint,
  keys: readonly PublicKey[],
): readonly PublicKey[] {
  recoveredSenderKeys.set(tx, { chainId, keys });
  return keys;
}

/** Stores and returns keys that were recovered elsewhere from `payerJobs` for the same chain. */
export function setPayerKeys(
  tx: Transaction,
  chainId: bigint,
  keys: readonly PublicKey[],
): readonly PublicKey[] {
  recoveredPayerKeys.set(tx, { chainId, keys });
  return keys;
}

/**
 * Returns the transaction signed by `feePayer`; the sender's signatures stay. Throws `TransactionError`
 * `no-fee-payer` for a type without a fee payer.
 */
export function signAsFeePayer(
  tx: Transaction,
  { feePayer, chainId }: { readonly feePayer: Address; readonly chainId: bigint },
  sign: Sign,
): Transaction {
  const fields = { ...tx.fields, feePayer };
  const digest = payerDigest(
    { ...contentOf(tx), fields, hash: tx.hash, senderTxHash: tx.senderTxHash },
    chainId,
  );
  const payerSignatures = signDigest(sign, digest, { type: tx.type, chainId });
  const draft = { ...contentOf(tx), code: tx.type.code, fields: { ...fields, payerSignatures } };
  return assembleTransaction(draft, chainId, tx.signatures);
}

function payerDigest(tx: Transaction, chainId: bigint): Hash {
  const digest = tx.type.payerDigest?.(tx, chainId);
  if (digest !== undefined) return digest;
  throw new TransactionError("no-fee-payer", "not a fee delegation transaction");
}

function contentOf(tx: Transaction): Omit<Transaction, "hash" | "senderTxHash"> {
  const { type, nonce, gas, gasFeeCap, gasTipCap, value, to, input, chainId, fields, signatures, raw } = tx;
  return { type, nonce, gas, gasFeeCap, gasTipCap, value, to, input, chainId, fields, signatures, raw };
}
