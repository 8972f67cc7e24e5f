/** Prices of transactions: admission, replacement and the next block. */
import type { Transaction } from "../model/transaction.ts";
import type { TransactionType } from "../model/transaction-type.ts";
import { paysForBlobs } from "./blobs.ts";
import { PoolError } from "./error.ts";
import type { NextBlockRules } from "./next-block-rules.ts";

/** Property of the types that replace any other transaction, whatever they pay. */
export interface ReplacingRow {
  readonly replacesAnyPrice?: boolean;
}

/**
 * Checks the price against the next block's: at least the base fee, or, before there is one, exactly the
 * unit price. Throws `PoolError` `bad-fee-caps` or `bad-price`.
 */
export function checkPrice(tx: Transaction, terms: NextBlockRules): void {
  const { gasFeeCap, gasTipCap } = tx;
  if (isLong(gasTipCap)) throw badCaps("max priority fee per gas higher than 2^256-1");
  if (isLong(gasFeeCap)) throw badCaps("max fee per gas higher than 2^256-1");
  if (gasFeeCap < gasTipCap && hasTwoCaps(tx)) throw tipAboveFee();
  if (terms.next.baseFee) checkBaseFee(tx, terms.price);
  else checkUnitPrice(tx, terms.price);
}

/** Throws `PoolError` `bad-fee-caps` for a tip above the fee, which no block takes. */
export function checkTip({ gasFeeCap, gasTipCap }: Transaction): void {
  if (gasFeeCap < gasTipCap) throw tipAboveFee();
}

/** True when `tx` may replace `old`, which has the same sender and nonce. */
export function replaces(tx: Transaction, old: Transaction, terms: NextBlockRules): boolean {
  const row: TransactionType & ReplacingRow = tx.type;
  return row.replacesAnyPrice === true || (terms.next.baseFee && tx.gasFeeCap > old.gasFeeCap);
}

function checkBaseFee(tx: Transaction, baseFee: bigint): void {
  if (tx.gasFeeCap >= baseFee) return;
  const what = hasTwoCaps(tx) ? "gas fee cap" : "gas price";
  throw new PoolError(
    "bad-price",
    `invalid ${what}. It must be set to value greater than or equal to baseFee`,
  );
}

function checkUnitPrice(tx: Transaction, unitPrice: bigint): void {
  if (tx.gasTipCap === unitPrice && tx.gasFeeCap === unitPrice) return;
  if (!hasTwoCaps(tx)) throw new PoolError("bad-price", "invalid unit price");
  const which = tx.gasTipCap === unitPrice ? "fee" : "tip";
  throw new PoolError(
    "bad-price",
    `invalid gas ${which} cap. It must be set to the same value as gas unit price`,
  );
}

/** True for types with a tip cap beside the fee cap, as the Go node's pool counts them: without those with blobs. */
function hasTwoCaps(tx: Transaction): boolean {
  return tx.fields.blobVersionedHashes === undefined && "maxPriorityFeePerGas" in tx.type.json(tx);
}

function isLong(price: bigint): boolean {
  return price >> 256n !== 0n;
}

/** The Go node's text states the opposite; clients compare it. */
function tipAboveFee(): PoolError {
  return badCaps("max fee per gas higher than max priority fee per gas");
}

function badCaps(message: string): PoolError {
  return new PoolError("bad-fee-caps", message);
}

/** True when a transaction pays enough for the next block. Admission has checked a fixed price. */
export function isPayable(tx: Transaction, terms: NextBlockRules): boolean {
  return !terms.next.baseFee || (tx.gasFeeCap >= terms.price && paysForBlobs(tx, terms.price));
}
