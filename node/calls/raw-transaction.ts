/**
 * Decodes signed transactions from callers, in Kaia's encoding or in Ethereum's. Malformed bytes get the Go
 * node's errors.
 */

import { concatBytes } from "../bytes/compare.ts";
import { failure } from "../jsonrpc/errors.ts";
import { TransactionError } from "../model/error.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import { transactionTypes } from "../model/transaction-table.ts";
import type { TransactionType } from "../model/transaction-type.ts";
import { firstItem, itemsOf, listFault } from "./rlp-faults.ts";

/** First byte of the Ethereum types in the encoding of Kaia. */
const ETHEREUM = 0x78;
const BLOB = 0x7803;
const EMPTY_STRING = 0x80;
const LEGACY = "types.TxInternalDataLegacy";

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
  if (first === 0 || first >= EMPTY_STRING) return decodeOrThrow(raw);
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
  const { code, at } = statedType(raw, first);
  const list = raw.subarray(at);
  if (list.length === 0) return first === 0 ? `rlp: expected input list for ${LEGACY}` : "EOF";
  const type = typeOf(code);
  if (type === undefined) return undefined;
  return type.code === BLOB ? blobFault(list, type) : fieldFault(list, type);
}

/** Returns the type that the first bytes name, and the position behind them. */
function statedType(raw: Uint8Array, first: number): { readonly code: number; readonly at: number } {
  if (first < EMPTY_STRING) {
    return first === ETHEREUM ? { code: ETHEREUM * 256 + (raw[1] ?? 0), at: 2 } : { code: first, at: 1 };
  }
  // The Go node reads an empty string as the number 0, and other strings as a legacy transaction.
  return { code: 0, at: first === EMPTY_STRING ? 1 : 0 };
}

function fieldFault(list: Uint8Array, type: TransactionType): string | undefined {
  const structure = goName(type);
  const fault = listFault(list, structure);
  if (fault !== undefined) return fault;
  const found = itemsOf(list);
  if (typeof found === "string") return found;
  return found < itemsOfType(type) ? `rlp: too few elements for ${structure}` : undefined;
}

/** The Go node looks into a blob transaction first, to see whether it has a sidecar. */
function blobFault(list: Uint8Array, type: TransactionType): string | undefined {
  const fault = listFault(list, "");
  if (fault?.startsWith("rlp: expected input list") === true) return "rlp: expected List";
  if (fault !== undefined) return fault;
  if (firstItem(list).length === 0) return "unexpected EOF";
  const found = itemsOf(list);
  return typeof found === "number" && found < itemsOfType(type)
    ? `rlp: too few elements for ${goName(type)}Serializable`
    : undefined;
}

function typeOf(code: number): TransactionType | undefined {
  return transactionTypes.find((type) => type.code === code);
}

/**
 * Returns the name of the Go node's structure of a type, such as `types.TxInternalDataLegacy` for
 * `TxTypeLegacyTransaction`; account updates are read through another structure.
 */
function goName({ name }: TransactionType): string {
  const kind = name.slice("TxType".length).replace(/^LegacyTransaction$/, "Legacy");
  return kind.includes("AccountUpdate")
    ? `types.txInternalData${kind}Serializable`
    : `types.TxInternalData${kind}`;
}

/** Returns the number of items in a complete transaction of a type. */
function itemsOfType(type: TransactionType): number {
  const nothing = new Uint8Array(0);
  const numbers = { nonce: 0n, gas: 0n, gasFeeCap: 0n, gasTipCap: 0n, value: 0n, chainId: 0n };
  const content = { ...numbers, to: new Uint8Array(20), input: nothing, fields: {} };
  const raw = type.encode(content, [{ v: 0n, r: nothing, s: nothing }]);
  const count = itemsOf(raw.subarray(type.prefix.length));
  return typeof count === "number" ? count : 0;
}
