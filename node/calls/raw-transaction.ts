/**
 * Signed transactions as callers hand them over, in the chain's encoding or in Ethereum's. What cannot be read is
 * refused in the Go node's words.
 */

import { concatBytes } from "../bytes/compare.ts";
import { BytesError } from "../bytes/error.ts";
import { failure } from "../jsonrpc/errors.ts";
import { TransactionError } from "../model/error.ts";
import { RlpCursor } from "../model/rlp-cursor.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import { transactionTypes } from "../model/transaction-table.ts";
import type { TransactionType } from "../model/transaction-type.ts";

/** First byte of the kinds that Ethereum defined, in the chain's own encoding. */
const ETHEREUM = 0x78;
const LIST = 0xc0;

/** Reads the chain's encoding. Throws `RpcError` or `TransactionError`. */
export function inChainEncoding(raw: Uint8Array): Transaction {
  if (isBareEthereumType(raw)) throw failure("undefined tx type");
  return decoded(raw);
}

/** Reads Ethereum's encoding: bare types of Ethereum, or a list. Throws `RpcError` or `TransactionError`. */
export function inEthereumEncoding(raw: Uint8Array): Transaction {
  if (raw.length === 0) throw failure("Empty input");
  const [first = 0] = raw;
  if (first === 0 || first >= LIST) return decoded(raw);
  if (!isBareEthereumType(raw)) throw failure("undefined tx type");
  return decoded(concatBytes(Uint8Array.of(ETHEREUM), raw));
}

/** Reads either encoding: whoever asks about a transaction may have it from either module. Throws as the two. */
export function inEitherEncoding(raw: Uint8Array): Transaction {
  return isBareEthereumType(raw) ? inEthereumEncoding(raw) : decoded(raw);
}

function isBareEthereumType([first = 0]: Uint8Array): boolean {
  return first >= 0x01 && first <= 0x04;
}

function decoded(raw: Uint8Array): Transaction {
  try {
    return decodeTransaction(raw);
  } catch (error) {
    if (!(error instanceof TransactionError) || error.code !== "malformed") throw error;
    throw failure(faultOf(raw) ?? error.message);
  }
}

/** What the Go node says of bytes that are no transaction; undefined where it says something else than these. */
function faultOf(raw: Uint8Array): string | undefined {
  const [first] = raw;
  if (first === undefined) return "EOF";
  const at = first >= LIST ? 0 : first === ETHEREUM ? 2 : 1;
  const code = at === 0 ? 0 : at === 1 ? first : ETHEREUM * 256 + (raw[1] ?? 0);
  if (at > raw.length || raw[at] === undefined) return first === 0 ? listWanted(0) : "EOF";
  if (raw[at] < LIST) return listWanted(code);
  return lengthFault(raw.subarray(at), code);
}

function lengthFault(list: Uint8Array, code: number): string | undefined {
  const type = typeOf(code);
  const found = itemsIn(list);
  if (found === undefined) return "rlp: value size exceeds available input length";
  if (type === undefined || found >= itemsOf(type)) return undefined;
  return `rlp: too few elements for types.${goName(type)}`;
}

function listWanted(code: number): string | undefined {
  const type = typeOf(code);
  return type && `rlp: expected input list for types.${goName(type)}`;
}

function typeOf(code: number): TransactionType | undefined {
  return transactionTypes.find((type) => type.code === code);
}

/** `TxTypeLegacyTransaction` is read into a `TxInternalDataLegacy`. */
function goName({ name }: TransactionType): string {
  return `TxInternalData${name.slice("TxType".length).replace(/^LegacyTransaction$/, "Legacy")}`;
}

/** How many items a whole transaction of a kind has. */
function itemsOf(type: TransactionType): number {
  const nothing = new Uint8Array(0);
  const numbers = { nonce: 0n, gas: 0n, gasFeeCap: 0n, gasTipCap: 0n, value: 0n, chainId: 0n };
  const content = { ...numbers, to: new Uint8Array(20), input: nothing, fields: {} };
  const raw = type.encode(content, [{ v: 0n, r: nothing, s: nothing }]);
  return itemsIn(raw.subarray(type.prefix.length)) ?? 0;
}

/** How many items a list has; undefined when it or one of them is cut off. */
function itemsIn(list: Uint8Array): number | undefined {
  try {
    const cursor = new RlpCursor(list);
    cursor.enter();
    let count = 0;
    for (; !cursor.done; count++) cursor.skip();
    return count;
  } catch (error) {
    if (error instanceof BytesError) return undefined;
    throw error;
  }
}
