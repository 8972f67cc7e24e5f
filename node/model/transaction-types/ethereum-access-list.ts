/** The row of access list transactions (EIP-2930). */
import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../../bytes/rlp-cursor.ts";
import {
  accessListJson,
  callFieldsJson,
  ownPrice,
  readAccessList,
  readRecipient,
  readSignature,
  writeAccessList,
  writer,
  writeSignature,
} from "../transaction-codec.ts";
import type { Signature, TransactionBody, TransactionContent, TransactionType } from "../transaction-type.ts";
import { ethereumFacts } from "./ethereum-row.ts";

/** Fields before V: chainId, nonce, gasPrice, gas, to, value, input, accessList. */
const FACTS = ethereumFacts(1, 8);

/** Type 1 (EIP-2930): a transaction with an access list. */
export const ethereumAccessList: TransactionType = {
  ...FACTS,
  name: "TxTypeEthereumAccessList",
  read: readAccessListTransaction,
  encode: encodeAccessListTransaction,
  json: (content) => ({
    chainId: toQuantity(content.chainId ?? 0n),
    nonce: toQuantity(content.nonce),
    gasPrice: toQuantity(content.gasFeeCap),
    ...callFieldsJson(content),
    accessList: accessListJson(content.fields.accessList),
  }),
  jsonGasPrice: ownPrice,
};

function readAccessListTransaction(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  const chainId = cursor.integer();
  const nonce = cursor.bigint(8);
  const price = cursor.integer();
  const gas = cursor.bigint(8);
  const to = readRecipient(cursor);
  const value = cursor.integer();
  const input = cursor.string();
  const accessList = readAccessList(cursor);
  const signature = readSignature(cursor);
  cursor.leave(end);
  return {
    nonce,
    gas,
    gasFeeCap: price,
    gasTipCap: price,
    value,
    to,
    input,
    chainId,
    fields: { accessList },
    signatures: [signature],
    raw: cursor.bytes.subarray(start, cursor.at),
  };
}

function encodeAccessListTransaction(
  content: TransactionContent,
  signatures: readonly Signature[],
): Uint8Array {
  writer.reset();
  for (const signature of signatures) writeSignature(signature);
  writeAccessList(content.fields.accessList);
  writer.string(content.input);
  writer.integer(content.value);
  writer.optional(content.to);
  writer.integer(content.gas);
  writer.integer(content.gasFeeCap);
  writer.integer(content.nonce);
  writer.integer(content.chainId ?? 0n);
  writer.list(0);
  writer.raw(FACTS.prefix);
  return writer.take();
}
