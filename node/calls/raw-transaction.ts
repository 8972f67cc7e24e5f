/**
 * Decodes signed transactions from callers, in Kaia's encoding or in Ethereum's. Malformed bytes get the Go
 * node's errors.
 */

import { concatBytes } from "../bytes/compare.ts";
import { BytesError } from "../bytes/error.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { failure } from "../jsonrpc/errors.ts";
import { TransactionError } from "../model/error.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import { transactionTypes } from "../model/transaction-table.ts";
import type { TransactionType } from "../model/transaction-type.ts";

/** First byte of the Ethereum types in the encoding of Kaia. */
const ETHEREUM = 0x78;
const LIST = 0xc0;

/** Decodes Kaia's encoding. Throws `RpcError` or `TransactionError`. */
export function decodeChainTransaction(raw: Uint8Array): Transaction {
  if (isBareEthereumType(raw)) throw failure("undefined tx type");
  return decodeOrThrow(raw);
}

/**
 * Decodes Ethereum's encoding: typed transactions (EIP-2718) or a list. Throws `RpcError` or
 * `TransactionError`.
 */
export function decodeEthereumTransaction(raw: Uint8Array): Transaction {
  if (raw.length === 0) throw failure("Empty input");
  const [first = 0] = raw;
  if (first === 0 || first >= LIST) return decodeOrThrow(raw);
  if (!isBareEthereumType(raw)) throw failure("undefined tx type");
  return decodeOrThrow(concatBytes(Uint8Array.of(ETHEREUM), raw));
}

/** Decodes either encoding. Throws `RpcError` or `TransactionError`. */
export function decodeEitherTransaction(raw: Uint8Array): Transaction {
  return isBareEthereumType(raw) ? decodeEthereumTransaction(raw) : decodeOrThrow(raw);
}

function isBareEthereumType([first = 0]: Uint8Array): boolean {
  return first >= 0x01 && first <= 0x04;
}

function decodeOrThrow(raw: Uint8Array): Transaction {
  try {
    return decodeTransaction(raw);
  } catch (error) {
    if (!(error instanceof TransactionError) || error.code !== "malformed") throw error;
    throw failure(faultMessage(raw) ?? error.message);
  }
}

/** Returns the Go node's error message for malformed bytes; undefined for other faults. */
function faultMessage(raw: Uint8Array): string | undefined {
  const [first] = raw;
  if (first === undefined) return "EOF";
  const at = first >= LIST ? 0 : first === ETHEREUM ? 2 : 1;
  const code = at === 0 ? 0 : at === 1 ? first : ETHEREUM * 256 + (raw[1] ?? 0);
  if (at > raw.length || raw[at] === undefined) return first === 0 ? listExpected(0) : "EOF";
  if (raw[at] < LIST) return listExpected(code);
  return lengthFault(raw.subarray(at), code);
}

function lengthFault(list: Uint8Array, code: number): string | undefined {
  const type = typeOf(code);
  const found = countItems(list);
  if (found === undefined) return "rlp: value size exceeds available input length";
  if (type === undefined || found >= itemsOfType(type)) return undefined;
  return `rlp: too few elements for types.${goName(type)}`;
}

function listExpected(code: number): string | undefined {
  const type = typeOf(code);
  return type && `rlp: expected input list for types.${goName(type)}`;
}

function typeOf(code: number): TransactionType | undefined {
  return transactionTypes.find((type) => type.code === code);
}

/**
 * Returns the name of the Go node's structure of a type, such as `TxInternalDataLegacy` for
 * `TxTypeLegacyTransaction`.
 */
function goName({ name }: TransactionType): string {
  return `TxInternalData${name.slice("TxType".length).replace(/^LegacyTransaction$/, "Legacy")}`;
}

/** Returns the number of items in a complete transaction of a type. */
function itemsOfType(type: TransactionType): number {
  const nothing = new Uint8Array(0);
  const numbers = { nonce: 0n, gas: 0n, gasFeeCap: 0n, gasTipCap: 0n, value: 0n, chainId: 0n };
  const content = { ...numbers, to: new Uint8Array(20), input: nothing, fields: {} };
  const raw = type.encode(content, [{ v: 0n, r: nothing, s: nothing }]);
  return countItems(raw.subarray(type.prefix.length)) ?? 0;
}

/** Returns the number of items in an RLP list; undefined for a truncated list or item. */
function countItems(list: Uint8Array): number | undefined {
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
