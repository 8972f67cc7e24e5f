import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../rlp-cursor.ts";
import {
  accessListJson,
  callJson,
  readAccessList,
  readRecipient,
  readSignature,
  writeAccessList,
  writer,
  writeSignature,
} from "../transaction-parts.ts";
import type { Signature, TransactionBody, TransactionContent, TransactionType } from "../transaction-type.ts";
import { ethereumFacts } from "./ethereum-row.ts";

/** The fields before V: chainId, nonce, tip cap, fee cap, gas, to, value, input, accessList. */
const FACTS = ethereumFacts(2, 9);

/** EIP-1559: offers a tip on top of the base fee, and a cap for both together. */
export const ethereumDynamicFee: TransactionType = {
  ...FACTS,
  name: "TxTypeEthereumDynamicFee",
  executable: true,
  read: readDynamicFee,
  encode: encodeDynamicFee,
  json: (content) => ({
    chainId: toQuantity(content.chainId ?? 0n),
    nonce: toQuantity(content.nonce),
    maxPriorityFeePerGas: toQuantity(content.gasTipCap),
    maxFeePerGas: toQuantity(content.gasFeeCap),
    ...callJson(content),
    accessList: accessListJson(content.fields.accessList),
  }),
  shownPrice: (content, paid) => paid ?? content.gasFeeCap,
};

function readDynamicFee(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  const chainId = cursor.bigint();
  const nonce = cursor.bigint(8);
  const gasTipCap = cursor.bigint();
  const gasFeeCap = cursor.bigint();
  const gas = cursor.bigint(8);
  const to = readRecipient(cursor);
  const value = cursor.bigint();
  const input = cursor.string();
  const accessList = readAccessList(cursor);
  const signature = readSignature(cursor);
  cursor.leave(end);
  return {
    nonce,
    gas,
    gasFeeCap,
    gasTipCap,
    value,
    to,
    input,
    chainId,
    fields: { accessList },
    signatures: [signature],
    raw: cursor.bytes.subarray(start, cursor.at),
  };
}

function encodeDynamicFee(content: TransactionContent, signatures: readonly Signature[]): Uint8Array {
  writer.reset();
  for (const signature of signatures) writeSignature(signature);
  writeAccessList(content.fields.accessList);
  writer.string(content.input);
  writer.integer(content.value);
  writer.optional(content.to);
  writer.integer(content.gas);
  writer.integer(content.gasFeeCap);
  writer.integer(content.gasTipCap);
  writer.integer(content.nonce);
  writer.integer(content.chainId ?? 0n);
  writer.list(0);
  writer.raw(FACTS.prefix);
  return writer.take();
}
