/** Results of the signing methods: the encoded transaction and its JSON. */
import { toHex } from "../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../bytes/integer.ts";
import type { Encoder } from "../jsonrpc/codec.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { recordSchema, type Schema, schemaRefs } from "../jsonrpc/schemas.ts";
import { ethereumRecipient } from "../model/recipient.ts";
import type { Transaction } from "../model/transaction.ts";
import { transactionJson } from "../model/transaction-json.ts";
import { signedEthTransactionSchema, signedTransactionSchema } from "./block-schemas.ts";

const NOTHING = new Uint8Array(0);
const withRaw = (tx: Schema): Schema => recordSchema({ raw: schemaRefs.data, tx });

/** Kaia's encoding and form. */
export const signedTransaction: Encoder<Transaction> = {
  label: "raw and tx",
  schema: withRaw(signedTransactionSchema),
  encode: (tx) => goJson({ raw: toHex(tx.raw), tx: transactionJson(tx) }),
};

/** Ethereum's encoding and form. */
export const signedEthTransaction: Encoder<Transaction> = {
  label: "raw and tx",
  schema: withRaw(signedEthTransactionSchema),
  encode: (tx) => goJson({ raw: toHex(tx.raw.subarray(tx.type.hashFrom)), tx: ethereumJson(tx) }),
};

/** Formats a transaction with members in the order of geth's `types.Transaction`. */
function ethereumJson(tx: Transaction): object {
  const own = tx.type.json(tx);
  const [signature] = tx.signatures;
  const to = ethereumRecipient(tx);
  return {
    type: toQuantity(tx.type.ethType),
    nonce: toQuantity(tx.nonce),
    gasPrice: own["gasPrice"] ?? null,
    maxPriorityFeePerGas: own["maxPriorityFeePerGas"] ?? null,
    maxFeePerGas: own["maxFeePerGas"] ?? null,
    gas: toQuantity(tx.gas),
    value: toQuantity(tx.value),
    input: toHex(tx.input),
    v: toQuantity(signature?.v ?? 0n),
    r: toQuantity(bytesToBigint(signature?.r ?? NOTHING)),
    s: toQuantity(bytesToBigint(signature?.s ?? NOTHING)),
    to: to === undefined ? null : toHex(to),
    chainId: own["chainId"],
    accessList: own["accessList"],
    authorizationList: own["authorizationList"],
    hash: toHex(tx.hash),
  };
}
