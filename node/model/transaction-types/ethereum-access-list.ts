import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../rlp-cursor.ts";
import { floorGasOf, intrinsicGasOf } from "../transaction-gas.ts";
import {
  accessListJson,
  callJson,
  checkParitySignature,
  digestOfFirst,
  ownPrice,
  readAccessList,
  readRecipient,
  readSignature,
  writeAccessList,
  writer,
  writeSignature,
} from "../transaction-parts.ts";
import type { Signature, TransactionBody, TransactionContent, TransactionType } from "../transaction-type.ts";

const PREFIX = Uint8Array.of(0x78, 0x01);
/** The fields before V: chainId, nonce, gasPrice, gas, to, value, input, accessList. */
const SIGNED = { listAt: PREFIX.length, count: 8 };
const NO_TAIL = new Uint8Array(0);

/** EIP-2930: names the addresses and slots that it will touch. */
export const ethereumAccessList: TransactionType = {
  code: 0x7801,
  name: "TxTypeEthereumAccessList",
  ethType: 1,
  prefix: PREFIX,
  hashFrom: 1,
  always: false,
  namesItself: true,
  read: readAccessListTransaction,
  encode: encodeAccessListTransaction,
  checkSignatures: checkParitySignature,
  meaning: (body, { v }) => ({ parity: Number(v), chainId: body.chainId }),
  digest: (body) => digestOfFirst(body.raw, SIGNED, 1, NO_TAIL),
  v: BigInt,
  intrinsicGas: (content, rules) => intrinsicGasOf(content, rules.inputGas, rules),
  floorGas: floorGasOf,
  json: (content) => ({
    chainId: toQuantity(content.chainId ?? 0n),
    nonce: toQuantity(content.nonce),
    gasPrice: toQuantity(content.gasFeeCap),
    ...callJson(content),
    accessList: accessListJson(content.fields.accessList),
  }),
  shownPrice: ownPrice,
};

function readAccessListTransaction(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  const chainId = cursor.bigint();
  const nonce = cursor.bigint(8);
  const price = cursor.bigint();
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
  writer.raw(PREFIX);
  return writer.take();
}
