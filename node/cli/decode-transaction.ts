/** A transaction for people: its fields, its hashes and who signed it. */
import { concatBytes } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { addressOfPublicKey } from "../crypto/secp256k1.ts";
import { TransactionError } from "../model/error.ts";
import { decodeTransaction, recoveredKey, type SigningJob, type Transaction } from "../model/transaction.ts";
import { transactionJson } from "../model/transaction-json.ts";
import { payerJobs, senderJobs } from "../model/transaction-signers.ts";
import { located } from "./decode-error.ts";

/** A raw transaction that fills `bytes`; Ethereum's kinds also without the 0x78 in front. Throws `DecodeError`. */
export function decodedTransaction(bytes: Uint8Array): object {
  const bare = isEthereumForm(bytes);
  const raw = bare ? concatBytes(Uint8Array.of(0x78), bytes) : bytes;
  return transactionView(located("transaction", bare ? -1 : 0, () => decodeTransaction(raw)));
}

/** Ethereum's own numbers of its kinds, which no kind of Klaytn has: sent without the prefix. */
function isEthereumForm(bytes: Uint8Array): boolean {
  const first = bytes[0];
  return first !== undefined && first >= 0x01 && first <= 0x04;
}

/** What is shown of a transaction. `signers` are recovered; `from` of kinds that name it is only a claim. */
export function transactionView(tx: Transaction): object {
  const chainId = tx.chainId ?? 0n;
  const { feePayer, sidecar } = tx.fields;
  const signers = recovered(() => senderJobs(tx, chainId));
  const sender = tx.fields.from === undefined ? signers[0] : toHex(tx.fields.from);
  return {
    typeInt: tx.type.code,
    type: tx.type.name,
    ...transactionJson(tx),
    senderTxHash: toHex(tx.senderTxHash),
    chainId: tx.chainId === undefined ? null : toQuantity(tx.chainId),
    from: sender ?? null,
    signers,
    ...(feePayer === undefined ? {} : { feePayerSigners: recovered(() => payerJobs(tx, chainId)) }),
    ...(sidecar === undefined ? {} : { sidecar: { version: sidecar.version, blobs: sidecar.blobs.length } }),
    size: tx.raw.length,
  };
}

/** Addresses behind signatures; a text that says why in place of those that are nobody's. */
function recovered(jobs: () => readonly SigningJob[]): readonly string[] {
  const found = orReason(jobs);
  if (typeof found === "string") return [found];
  return found.map((job) => orReason(() => toHex(addressOfPublicKey(recoveredKey(job)))));
}

function orReason<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof TransactionError) return error.message;
    throw error;
  }
}
