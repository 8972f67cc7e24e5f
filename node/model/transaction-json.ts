/** Transactions in JSON: the fields of the RPC objects, and the stand-alone form. */
import { addressText, toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Transaction } from "./transaction.ts";
import { signaturesJson } from "./transaction-codec.ts";

/**
 * Returns the fields of the RPC transaction object that follow from the transaction itself, without the
 * sender, which depends on the chain. `paid` is the effective price in peb, absent while the transaction is
 * pending.
 */
export function transactionFields(tx: Transaction, paid?: bigint): Readonly<Record<string, unknown>> {
  const { from: _, ...own } = tx.type.json(tx);
  return {
    typeInt: tx.type.code,
    type: tx.type.name,
    ...own,
    gasPrice: toQuantity(tx.type.jsonGasPrice(tx, paid)),
    signatures: signaturesJson(tx.signatures),
    ...payerJson(tx),
  };
}

/** Returns the stand-alone JSON form, the result of signing methods, with members in the Go node's order. */
export function transactionJson(tx: Transaction): Readonly<Record<string, unknown>> {
  return {
    ...(tx.type.hasTypeInJson ? { typeInt: tx.type.code, type: tx.type.name } : {}),
    ...tx.type.json(tx),
    signatures: signaturesJson(tx.signatures),
    ...payerJson(tx),
    hash: toHex(tx.hash),
  };
}

function payerJson({ fields }: Transaction): Readonly<Record<string, unknown>> {
  const { feePayer, payerSignatures = [] } = fields;
  if (feePayer === undefined) return {};
  return { feePayer: addressText(feePayer), feePayerSignatures: signaturesJson(payerSignatures) };
}
