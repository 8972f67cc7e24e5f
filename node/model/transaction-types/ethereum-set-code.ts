import { toQuantity } from "../../bytes/integer.ts";
import { authorizationsJson, readAuthorizations, writeAuthorizations } from "../authorization.ts";
import type { RlpCursor } from "../rlp-cursor.ts";
import {
  accessListJson,
  callJson,
  readAccessList,
  readSignature,
  writeAccessList,
  writer,
  writeSignature,
} from "../transaction-parts.ts";
import type { Signature, TransactionBody, TransactionContent, TransactionType } from "../transaction-type.ts";
import { ethereumFacts } from "./ethereum-row.ts";

/** The fields before V: chainId, nonce, tip cap, fee cap, gas, to, value, input, accessList, authorizationList. */
const FACTS = ethereumFacts(4, 10);

/** EIP-7702: accounts that let a contract's code run as their own. Never makes a contract. */
export const ethereumSetCode: TransactionType = {
  ...FACTS,
  name: "TxTypeEthereumSetCode",
  executable: false,
  creates: () => false,
  read: readSetCode,
  encode: encodeSetCode,
  json: (content) => ({
    chainId: toQuantity(content.chainId ?? 0n),
    nonce: toQuantity(content.nonce),
    maxPriorityFeePerGas: toQuantity(content.gasTipCap),
    maxFeePerGas: toQuantity(content.gasFeeCap),
    ...callJson(content),
    accessList: accessListJson(content.fields.accessList),
    authorizationList: authorizationsJson(content.fields.authorizationList),
  }),
  shownPrice: (content, paid) => paid ?? content.gasFeeCap,
};

function readSetCode(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  const chainId = cursor.bigint();
  const nonce = cursor.bigint(8);
  const gasTipCap = cursor.bigint();
  const gasFeeCap = cursor.bigint();
  const gas = cursor.bigint(8);
  const to = cursor.fixed(20);
  const value = cursor.bigint();
  const input = cursor.string();
  const accessList = readAccessList(cursor);
  const authorizationList = readAuthorizations(cursor);
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
    fields: { accessList, authorizationList },
    signatures: [signature],
    raw: cursor.bytes.subarray(start, cursor.at),
  };
}

function encodeSetCode(content: TransactionContent, signatures: readonly Signature[]): Uint8Array {
  writer.reset();
  for (const signature of signatures) writeSignature(signature);
  writeAuthorizations(content.fields.authorizationList);
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
