import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../rlp-cursor.ts";
import { floorGasOf, intrinsicGasOf } from "../transaction-gas.ts";
import {
  accessListJson,
  callJson,
  checkParitySignature,
  digestOfFirst,
  readAccessList,
  readRecipient,
  readSignature,
  writeAccessList,
  writer,
  writeSignature,
} from "../transaction-parts.ts";
import type { Signature, TransactionBody, TransactionContent, TransactionType } from "../transaction-type.ts";

const PREFIX = Uint8Array.of(0x78, 0x02);
/** The fields before V: chainId, nonce, tip cap, fee cap, gas, to, value, input, accessList. */
const SIGNED = { listAt: PREFIX.length, count: 9 };
const NO_TAIL = new Uint8Array(0);

/** EIP-1559: offers a tip on top of the base fee, and a cap for both together. */
export const ethereumDynamicFee: TransactionType = {
  code: 0x7802,
  name: "TxTypeEthereumDynamicFee",
  ethType: 2,
  prefix: PREFIX,
  hashFrom: 1,
  always: false,
  namesItself: true,
  read: readDynamicFee,
  encode: encodeDynamicFee,
  checkSignatures: checkParitySignature,
  meaning: (body, { v }) => ({ parity: Number(v), chainId: body.chainId }),
  digest: (body) => digestOfFirst(body.raw, SIGNED, 2, NO_TAIL),
  v: BigInt,
  intrinsicGas: (content, rules) => intrinsicGasOf(content, rules.inputGas, rules),
  floorGas: floorGasOf,
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
  writer.raw(PREFIX);
  return writer.take();
}
