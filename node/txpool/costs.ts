/** Costs of a transaction and the funds of the accounts that pay them. */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { Transaction } from "../model/transaction.ts";
import type { TypeFields } from "../model/transaction-type.ts";
import { blobCost } from "./blobs.ts";
import { PoolError } from "./error.ts";
import type { PoolState } from "./pool-chain.ts";

/** Fields of fee-delegated types: another account pays the fee, all of it or `feeRatio` percent. */
export interface PayerFields {
  readonly feePayer?: Address;
  readonly feeRatio?: number;
}

/** The sender's address and balance, in peb. */
export interface Funds {
  readonly sender: Address;
  readonly balance: bigint;
}

/**
 * Checks that the accounts can pay for this one transaction at its highest price. Their other transactions
 * are not counted. Throws `PoolError` `bad-fee-ratio` or `insufficient-funds`.
 */
export function checkPoolFunds(tx: Transaction, { sender, balance }: Funds, state: PoolState): void {
  const { feePayer, feeRatio }: TypeFields & PayerFields = tx.fields;
  const fee = tx.gas * tx.gasFeeCap + blobCost(tx);
  const byPayer = feePayer === undefined ? 0n : payerPart(fee, feeRatio);
  const bySender = tx.value + fee - byPayer;
  if (balance < bySender) throw senderShort();
  if (feePayer === undefined) return;
  if (state.balance(feePayer) < byPayer) {
    throw new PoolError("insufficient-funds", "insufficient funds of the fee payer for gas * price");
  }
  if (balance < bySender + byPayer && equalBytes(sender, feePayer)) throw senderShort();
}

function payerPart(fee: bigint, ratio: number | undefined): bigint {
  if (ratio === undefined) return fee;
  if (ratio >= 1 && ratio <= 99) return (fee * BigInt(ratio)) / 100n;
  throw new PoolError("bad-fee-ratio", "fee ratio is out of range [1, 99]");
}

/** The trailing blank is the Go node's. */
function senderShort(): PoolError {
  return new PoolError("insufficient-funds", "insufficient funds of the sender for value ");
}
