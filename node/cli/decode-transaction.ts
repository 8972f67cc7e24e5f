/** JSON of transactions: fields, hashes and signers. */
import { concatBytes } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { addressOfPublicKey } from "../crypto/secp256k1.ts";
import { TransactionError } from "../model/error.ts";
import { decodeTransaction, type RecoveryInput, recoverKey, type Transaction } from "../model/transaction.ts";
import { transactionJson } from "../model/transaction-json.ts";
import { payerJobs, senderJobs } from "../model/transaction-signers.ts";
import { withOffset } from "./decode-error.ts";

/**
 * Decodes a raw transaction that fills `bytes`; Ethereum's types also without the prefix 0x78. Throws
 * `DecodeError`.
 */
export function decodeTransactionJson(bytes: Uint8Array): object {
  const bare = isEthereumForm(bytes);
  const raw = bare ? concatBytes(Uint8Array.of(0x78), bytes) : bytes;
  return transactionView(withOffset("transaction", bare ? -1 : 0, () => decodeTransaction(raw)));
}

/** True for Ethereum's type numbers, which no Klaytn type has, without the prefix 0x78. */
function isEthereumForm(bytes: Uint8Array): boolean {
  const first = bytes[0];
  return first !== undefined && first >= 0x01 && first <= 0x04;
}

/**
 * Returns a transaction as JSON. `signers` are recovered from signatures; a `from` field of the transaction
 * is unverified.
 */
export function transactionView(tx: Transaction): object {
  const chainId = tx.chainId ?? 0n;
  const { feePayer, sidecar } = tx.fields;
  const signers = recoverSigners(() => senderJobs(tx, chainId));
  const sender = tx.fields.from === undefined ? signers[0] : toHex(tx.fields.from);
  return {
    typeInt: tx.type.code,
    type: tx.type.name,
    ...transactionJson(tx),
    senderTxHash: toHex(tx.senderTxHash),
    chainId: tx.chainId === undefined ? null : toQuantity(tx.chainId),
    from: sender ?? null,
    signers,
    ...(feePayer === undefined ? {} : { feePayerSigners: recoverSigners(() => payerJobs(tx, chainId)) }),
    ...(sidecar === undefined ? {} : { sidecar: { version: sidecar.version, blobs: sidecar.blobs.length } }),
    size: tx.raw.length,
  };
}

/** Returns the addresses of signers, or the error text of an invalid signature. */
function recoverSigners(jobs: () => readonly RecoveryInput[]): readonly string[] {
  const found = orReason(jobs);
  if (typeof found === "string") return [found];
  return found.map((job) => orReason(() => toHex(addressOfPublicKey(recoverKey(job)))));
}

function orReason<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof TransactionError) return error.message;
    throw error;
  }
}
