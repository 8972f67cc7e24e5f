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
import { addressFault, firstItem, itemsOf, listFault } from "./rlp-faults.ts";

/** First byte of the Ethereum types in the encoding of Kaia. */
const ETHEREUM = 0x78;
const BLOB = 0x7803;
const EMPTY_STRING = 0x80;
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
  if (first === ETHEREUM && (raw[1] ?? 0) >= LIST)
    return "rlp: expected input string or byte for types.TxType";
  const { code, at } = statedType(raw, first);
  const list = raw.subarray(at);
  if (list.length === 0) return "EOF";
  const type = typeOf(code);
  if (type === undefined) return first > EMPTY_STRING ? "undefined tx type" : undefined;
  return type.code === BLOB ? blobFault(list, type) : fieldFault(list, type);
}

/** Returns the type that the first bytes name, and the position behind them. */
function statedType(raw: Uint8Array, first: number): { readonly code: number; readonly at: number } {
  if (first < EMPTY_STRING) {
    if (first === ETHEREUM) return { code: ETHEREUM * 256 + (raw[1] ?? 0), at: 2 };
    return { code: first, at: first === 0 ? 0 : 1 }; // the Go node reads a zero byte as a legacy transaction
  }
  // The Go node reads short strings as numbers of types, and longer ones as a legacy transaction.
  const [, high = 0, low = 0] = raw;
  if (first === EMPTY_STRING + 1 && high >= EMPTY_STRING) return { code: high, at: 2 };
  if (first === EMPTY_STRING + 2 && high > 0) return { code: high * 256 + low, at: 3 };
  return { code: 0, at: first === EMPTY_STRING ? 1 : 0 };
}

function fieldFault(list: Uint8Array, type: TransactionType): string | undefined {
  const structure = goName(type);
  const fault = listFault(list, structure);
  if (fault !== undefined) return fault;
  const found = itemsOf(list);
  if (typeof found === "string") return found;
  const address = addressFault(list, ADDRESS_POSITIONS.get(type.code) ?? 3);
  if (address !== undefined) return `${address}, decoding into ${addressPath(type)}`;
  const wanted = itemsOfType(type);
  if (found < wanted) return `rlp: too few elements for ${structure}`;
  return found > wanted ? `rlp: input list has too many elements for ${structure}` : undefined;
}

/** Position of the recipient or the sender in the Ethereum types; all others have three integers before it. */
const ADDRESS_POSITIONS: ReadonlyMap<number, number> = new Map([
  [0x7801, 4],
  [0x7802, 5],
  [0x7804, 5],
]);
/** Types whose first address is the sender. */
const NAMES_SENDER = /AccountUpdate|Cancel|ChainDataAnchoring/;

/** Returns the Go node's path to the first address of a type. */
function addressPath(type: TransactionType): string {
  const structures = ["types.Transaction", "types.TxInternalDataSerializer", structureOf(type)];
  if (type.name.includes("AccountUpdate")) structures.push(goName(type));
  const member = NAMES_SENDER.test(type.name) ? "From" : "Recipient";
  return `${structures.map((each) => `(${each})`).join("")}.${member}`;
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
function goName(type: TransactionType): string {
  return type.name.includes("AccountUpdate")
    ? structureOf(type).replace("TxInternal", "txInternal").concat("Serializable")
    : structureOf(type);
}

function structureOf({ name }: TransactionType): string {
  return `types.TxInternalData${name.slice("TxType".length).replace(/^LegacyTransaction$/, "Legacy")}`;
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
