/** Transactions in JSON: what answers show of them, and the stand-alone form. */
import { addressText, toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Transaction } from "./transaction.ts";
import { signaturesJson } from "./transaction-parts.ts";

/**
 * The fields of the JSON-RPC transaction object that come from the transaction itself. `paid` is the effective
 * price, absent while the transaction is pending. The sender is left to whoever knows the chain.
 */
export function transactionFields(tx: Transaction, paid?: bigint): Readonly<Record<string, unknown>> {
  const { from: _, ...own } = tx.type.json(tx);
  return {
    typeInt: tx.type.code,
    type: tx.type.name,
    ...own,
    gasPrice: toQuantity(tx.type.shownPrice(tx, paid)),
    signatures: signaturesJson(tx.signatures),
    ...payerJson(tx),
  };
}

/** The stand-alone JSON form, members in the Go node's order: what signing methods answer with. */
export function transactionJson(tx: Transaction): Readonly<Record<string, unknown>> {
  return {
    ...(tx.type.namesItself ? { typeInt: tx.type.code, type: tx.type.name } : {}),
    ...tx.type.json(tx),
    signatures: signaturesJson(tx.signatures),
    ...payerJson(tx),
    hash: toHex(tx.hash),
  };
}

/** The recipient in Ethereum's form: kinds about the sender's own account show the sender. */
export function ethereumRecipient({ type, to, fields }: Transaction): Uint8Array | undefined {
  return type.shownToSender === true ? fields.from : to;
}

function payerJson({ fields }: Transaction): Readonly<Record<string, unknown>> {
  const { feePayer, payerSignatures = [] } = fields;
  if (feePayer === undefined) return {};
  return { feePayer: addressText(feePayer), feePayerSignatures: signaturesJson(payerSignatures) };
}
