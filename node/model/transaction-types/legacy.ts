import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../rlp-cursor.ts";
import { RlpWriter } from "../rlp-writer.ts";
import { floorGasOf, intrinsicGasOf } from "../transaction-gas.ts";
import {
  badSignature,
  callJson,
  digestOfFirst,
  hasLowS,
  inRange,
  ownPrice,
  readRecipient,
  readSignature,
  writer,
  writeSignature,
} from "../transaction-parts.ts";
import type {
  Signature,
  SignatureMeaning,
  TransactionBody,
  TransactionContent,
  TransactionType,
} from "../transaction-type.ts";

const NO_FIELDS = {};
const NO_TAIL = new Uint8Array(0);
/** The fields before V: nonce, gasPrice, gas, to, value, input. */
const SIGNED = { listAt: 0, count: 6 };

/** The original kind: a bare list, its signature with the chain's number in V (EIP-155) or without. */
export const legacy: TransactionType = {
  code: 0,
  name: "TxTypeLegacyTransaction",
  ethType: 0,
  prefix: NO_TAIL,
  hashFrom: 0,
  always: true,
  namesItself: false,
  read: readLegacy,
  encode: encodeLegacy,
  checkSignatures,
  meaning: (_body, signature) => meaningOf(signature.v),
  digest: (body) => digestOfFirst(body.raw, SIGNED, undefined, chainTail(body.chainId)),
  v: (parity, chainId) => chainId * 2n + 35n + BigInt(parity),
  intrinsicGas: (content, rules) => intrinsicGasOf(content, rules.legacyInputGas, rules),
  floorGas: floorGasOf,
  json: (content) => ({
    nonce: toQuantity(content.nonce),
    gasPrice: toQuantity(content.gasFeeCap),
    ...callJson(content),
  }),
  shownPrice: ownPrice,
};

function readLegacy(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  const nonce = cursor.bigint(8);
  const price = cursor.bigint();
  const gas = cursor.bigint(8);
  const to = readRecipient(cursor);
  const value = cursor.bigint();
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
    chainId: meaningOf(signature.v).chainId,
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

/** Signatures that name a chain are tested for low s only when the sender is recovered, as in the Go node. */
function checkSignatures({ signatures }: TransactionBody): void {
  for (const signature of signatures) {
    if (!inRange(signature)) throw badSignature();
    if (isProtected(signature.v)) continue;
    if ((signature.v !== 27n && signature.v !== 28n) || !hasLowS(signature)) throw badSignature();
  }
}

function isProtected(v: bigint): boolean {
  return v !== 27n && v !== 28n && v !== 0n && v !== 1n;
}

/** EIP-155: V is chain id · 2 + 35 + parity. A V below 35 names no chain that exists. */
function meaningOf(v: bigint): SignatureMeaning {
  if (!isProtected(v)) return { parity: Number(v & 1n) ^ 1, chainId: undefined };
  const rest = v - 35n;
  return { parity: Number(rest & 1n), chainId: rest < 0n ? -1n : rest >> 1n };
}

const tailWriter = new RlpWriter(64);
let newestTail: { readonly chainId: bigint; readonly tail: Uint8Array } | undefined;

/** What a digest adds for a chain: its number and two zeros. All transactions of a node have one and the same. */
function chainTail(chainId: bigint | undefined): Uint8Array {
  if (chainId === undefined) return NO_TAIL;
  if (newestTail?.chainId === chainId) return newestTail.tail;
  tailWriter.reset().integer(0);
  tailWriter.integer(0);
  tailWriter.integer(chainId);
  newestTail = { chainId, tail: tailWriter.take() };
  return newestTail.tail;
}
