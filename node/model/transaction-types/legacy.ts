/** The row of legacy transactions, with or without a chain id in V (EIP-155). */
import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../../bytes/rlp-cursor.ts";
import {
  chainTail,
  checkProtectedSignature,
  decodeProtectedV,
  encodeProtectedV,
} from "../protected-signature.ts";
import {
  callFieldsJson,
  digestOfFirst,
  ownPrice,
  readRecipient,
  readSignature,
  writer,
  writeSignature,
} from "../transaction-codec.ts";
import { floorGasOf, intrinsicGasOf } from "../transaction-gas.ts";
import type { Signature, TransactionBody, TransactionContent, TransactionType } from "../transaction-type.ts";

const NO_FIELDS = {};
const NO_TAIL = new Uint8Array(0);
/** The fields before V: nonce, gasPrice, gas, to, value, input. */
const SIGNED = { listAt: 0, count: 6 };

/** Type 0: a bare list with the chain id in V (EIP-155) or without one. */
export const legacy: TransactionType = {
  code: 0,
  name: "TxTypeLegacyTransaction",
  ethType: 0,
  prefix: NO_TAIL,
  hashFrom: 0,
  isAlwaysAccepted: true,
  action: "call",
  recipientRule: "be-unreserved",
  role: "transaction",
  creates: ({ to }) => to === undefined,
  hasTypeInJson: false,
  read: readLegacy,
  encode: encodeLegacy,
  checkSignatures: ({ signatures }) => signatures.forEach(checkProtectedSignature),
  decodeV: (_body, signature) => decodeProtectedV(signature.v),
  digest: ({ raw, chainId }) =>
    digestOfFirst(raw, SIGNED, undefined, chainId === undefined ? NO_TAIL : chainTail(chainId)),
  encodeV: encodeProtectedV,
  intrinsicGas: (content, rules) => intrinsicGasOf(content, rules.legacyInputGas, rules),
  floorGas: floorGasOf,
  json: (content) => ({
    nonce: toQuantity(content.nonce),
    gasPrice: toQuantity(content.gasFeeCap),
    ...callFieldsJson(content),
  }),
  jsonGasPrice: ownPrice,
};

function readLegacy(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  const nonce = cursor.bigint(8);
  const price = cursor.integer();
  const gas = cursor.bigint(8);
  const to = readRecipient(cursor);
  const value = cursor.integer();
  const input = cursor.string();
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
    chainId: decodeProtectedV(signature.v).chainId,
    fields: NO_FIELDS,
    signatures: [signature],
    raw: cursor.bytes.subarray(start, cursor.at),
  };
}

function encodeLegacy(content: TransactionContent, signatures: readonly Signature[]): Uint8Array {
  writer.reset();
  for (const signature of signatures) writeSignature(signature);
  writer.string(content.input);
  writer.integer(content.value);
  writer.optional(content.to);
  writer.integer(content.gas);
  writer.integer(content.gasFeeCap);
  writer.integer(content.nonce);
  writer.list(0);
  return writer.take();
}
