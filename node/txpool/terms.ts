import type { Rules } from "../config/rules.ts";
import type { Transaction } from "../model/transaction.ts";
import { paysForBlobs } from "./blobs.ts";
import type { PoolOptions } from "./options.ts";
import type { PoolChain, PoolState } from "./pool-chain.ts";

/** What a transaction is measured by until the next head. */
export interface Terms {
  readonly chainId: bigint;
  /** Rules of the head, which gas is counted by, and of the block to come, which decides all else. */
  readonly current: Rules;
  readonly next: Rules;
  /** The next block's base fee where its rules have one, else the unit price; in peb. */
  readonly price: bigint;
  /** Most blobs that a transaction may carry. */
  readonly maxBlobs: number;
  readonly state: PoolState;
  readonly limits: Pick<PoolOptions, "maxSize" | "maxGas">;
}

/** The terms that the chain's head sets. */
export function termsAtHead(chain: PoolChain, limits: Terms["limits"]): Terms {
  const { number } = chain.head();
  const next = chain.rules(number + 1);
  const baseFee = next.baseFee ? chain.nextBaseFee() : undefined;
  return {
    chainId: chain.chainId,
    current: chain.rules(number),
    next,
    price: baseFee ?? chain.unitPrice(number + 1),
    maxBlobs: chain.maxBlobs,
    state: chain.stateAtHead(),
    limits,
  };
}

/** True when a transaction offers enough for the next block. A fixed price was checked at admission. */
export function isPayable(tx: Transaction, terms: Terms): boolean {
  return !terms.next.baseFee || (tx.gasFeeCap >= terms.price && paysForBlobs(tx, terms.price));
}

/** True when everything admitted under `before` was admitted at a price that no longer holds. */
export function isRepriced(before: Terms, after: Terms): boolean {
  return !after.next.baseFee && before.price !== after.price;
}
