/** The fields from chainId to accessList that EIP-1559 transactions and later types begin with. */
import type { Address } from "../../bytes/brands.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../../bytes/rlp-cursor.ts";
import {
  accessListJson,
  callFieldsJson,
  readAccessList,
  writeAccessList,
  writer,
} from "../transaction-codec.ts";
import type { TransactionBody, TransactionContent } from "../transaction-type.ts";

/** Bytes that integers may have where a type's are of 256 bits (`uint256.Int`); all others are of any size. */
export const WORD_BYTES = 32;

/** Upper bounds of integers in bytes; none where absent. */
interface IntegerBounds {
  readonly chainId?: number;
  readonly amounts?: number;
}

/** Reads chainId, nonce, tip cap, fee cap, gas, to (by `readTo`), value, input, accessList. */
export function readFeeMarket(
  cursor: RlpCursor,
  readTo: (cursor: RlpCursor) => Address | undefined,
  bounds: IntegerBounds = {},
): Omit<TransactionBody, "raw" | "signatures"> {
  const chainId = cursor.integer(bounds.chainId);
  const nonce = cursor.bigint(8);
  const gasTipCap = cursor.integer(bounds.amounts);
  const gasFeeCap = cursor.integer(bounds.amounts);
  const gas = cursor.bigint(8);
  const to = readTo(cursor);
  const value = cursor.integer(bounds.amounts);
  const input = cursor.string();
  const fields = { accessList: readAccessList(cursor) };
  return { nonce, gas, gasFeeCap, gasTipCap, value, to, input, chainId, fields };
}

/** Reads the recipient of a type that never creates a contract. */
export function readNeededRecipient(cursor: RlpCursor): Address {
  return cursor.address();
}

/** Writes the same fields. */
export function writeFeeMarket(content: TransactionContent): void {
  writeAccessList(content.fields.accessList);
  writer.string(content.input);
  writer.integer(content.value);
  writer.optional(content.to);
  writer.integer(content.gas);
  writer.integer(content.gasFeeCap);
  writer.integer(content.gasTipCap);
  writer.integer(content.nonce);
  writer.integer(content.chainId ?? 0n);
}

/** Returns the same fields as JSON. */
export function feeMarketJson(content: TransactionContent): Readonly<Record<string, unknown>> {
  return {
    chainId: toQuantity(content.chainId ?? 0n),
    nonce: toQuantity(content.nonce),
    maxPriorityFeePerGas: toQuantity(content.gasTipCap),
    maxFeePerGas: toQuantity(content.gasFeeCap),
    ...callFieldsJson(content),
    accessList: accessListJson(content.fields.accessList),
  };
}

/** Returns the effective price, or the fee cap while the transaction is pending. */
export function feeMarketPrice(content: TransactionContent, paid?: bigint): bigint {
  return paid ?? content.gasFeeCap;
}
