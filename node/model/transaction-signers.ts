/**
 * Signers of a transaction: the public keys behind its signatures, for `validateSigners`, and the fee payer's
 * signature.
 */
import type { Address, Hash, PublicKey } from "../bytes/brands.ts";
import { TransactionError } from "./error.ts";
import {
  assembleTransaction,
  noRecovery,
  type RecoveryInput,
  recoverKey,
  recoveryInput,
  type Sign,
  signDigest,
  type Transaction,
} from "./transaction.ts";
import { badSignature, hasLowS, inRange, signatureBytes } from "./transaction-codec.ts";

/** Returns the number of signatures: the sender's, the fee payer's and those of authorizations. */
export function signatureCount({ signatures, fields }: Transaction): number {
  const { payerSignatures = [], authorizationList = [] } = fields;
  return signatures.length + payerSignatures.length + authorizationList.length;
}

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

/** Inputs up to the first bad signature, and the error of that one. */
export interface SignerInputs {
  readonly inputs: readonly RecoveryInput[];
  readonly fault: TransactionError | undefined;
}

/** Returns the recovery inputs of the sender's keys up to the first bad signature. */
export function senderInputsOf(tx: Transaction, chainId: bigint): SignerInputs {
  return untilFault(() => senderInputs(tx, chainId));
}

/** Returns the recovery inputs of the fee payer's keys up to the first bad signature. */
export function payerInputsOf(tx: Transaction, chainId: bigint): SignerInputs {
  return untilFault(() => payerInputs(tx, chainId));
}

function untilFault(open: () => Iterable<RecoveryInput>): SignerInputs {
  const inputs: RecoveryInput[] = [];
  try {
    for (const input of open()) inputs.push(input);
  } catch (fault) {
    if (fault instanceof TransactionError) return { inputs, fault };
    throw fault;
  }
  return { inputs, fault: undefined };
}

/** Recovered keys, or the error of the first signature without one, and the chain id that they hold for. */
interface RecoveredKeys {
  readonly chainId: bigint;
  readonly keys: readonly PublicKey[] | TransactionError;
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
  if (found?.chainId === chainId) return keysIn(found);
  const keys = Array.from(senderInputs(tx, chainId), recoverKey);
  recoveredSenderKeys.set(tx, { chainId, keys });
  return keys;
}

/** Returns the fee payer's 64-byte public keys, recovered once. Throws `TransactionError`. */
export function payerKeys(tx: Transaction, chainId: bigint): readonly PublicKey[] {
  const found = recoveredPayerKeys.get(tx);
  if (found?.chainId === chainId) return keysIn(found);
  const keys = Array.from(payerInputs(tx, chainId), recoverKey);
  recoveredPayerKeys.set(tx, { chainId, keys });
  return keys;
}

function keysIn({ keys }: RecoveredKeys): readonly PublicKey[] {
  if (keys instanceof TransactionError) throw keys;
  return keys;
}

/** True when the sender's keys have been recovered for this chain. */
export function knowsSenderKeys(tx: Transaction, chainId: bigint): boolean {
  return recoveredSenderKeys.get(tx)?.chainId === chainId;
}

/** True when the fee payer's keys have been recovered for this chain. */
export function knowsPayerKeys(tx: Transaction, chainId: bigint): boolean {
  return recoveredPayerKeys.get(tx)?.chainId === chainId;
}

/** Keys that were recovered from `SignerInputs`, undefined where nothing recovers. */
export interface RecoveredSigners {
  readonly keys: readonly (PublicKey | undefined)[];
  /** That of the inputs. */
  readonly fault: TransactionError | undefined;
}

/** Stores the keys that were recovered elsewhere from `senderInputsOf` for the same chain, or that there are none. */
export function setSenderKeys(tx: Transaction, chainId: bigint, found: RecoveredSigners): void {
  recoveredSenderKeys.set(tx, { chainId, keys: keysOrFault(found) });
}

/** Stores the keys that were recovered elsewhere from `payerInputsOf` for the same chain, or that there are none. */
export function setPayerKeys(tx: Transaction, chainId: bigint, found: RecoveredSigners): void {
  recoveredPayerKeys.set(tx, { chainId, keys: keysOrFault(found) });
}

function keysOrFault({ keys, fault }: RecoveredSigners): RecoveredKeys["keys"] {
  const known = keys.filter((key) => key !== undefined);
  if (known.length < keys.length) return noRecovery();
  return fault ?? known;
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
