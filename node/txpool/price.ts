import type { Transaction } from "../model/transaction.ts";
import type { TransactionType } from "../model/transaction-type.ts";
import { PoolError } from "./error.ts";
import type { Terms } from "./terms.ts";

/** What the row of a kind says that takes the place of any other transaction, whatever it pays. */
export interface ReplacingRow {
  readonly replacesAnyPrice?: boolean;
}

/**
 * Checks the price against the next block's: at least the base fee, or, before there is one, exactly the
 * unit price. Throws `PoolError` `bad-fee-caps` or `bad-price`.
 */
export function checkPrice(tx: Transaction, terms: Terms): void {
  const { gasFeeCap, gasTipCap } = tx;
  if (isLong(gasTipCap)) throw badCaps("max priority fee per gas higher than 2^256-1");
  if (isLong(gasFeeCap)) throw badCaps("max fee per gas higher than 2^256-1");
  // The Go node's text says the opposite of what is wrong; clients compare it.
  if (gasFeeCap < gasTipCap) throw badCaps("max fee per gas higher than max priority fee per gas");
  if (terms.next.baseFee) checkBaseFee(tx, terms.price);
  else checkUnitPrice(tx, terms.price);
}

/** True when `tx` may take the place of `old`, which has the same sender and nonce. */
export function replaces(tx: Transaction, old: Transaction, terms: Terms): boolean {
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

/** True for kinds that name a cap for the tip beside the one for the whole price: only texts differ. */
function hasTwoCaps(tx: Transaction): boolean {
  return "maxPriorityFeePerGas" in tx.type.json(tx);
}

function isLong(price: bigint): boolean {
  return price >> 256n !== 0n;
}

function badCaps(message: string): PoolError {
  return new PoolError("bad-fee-caps", message);
}
