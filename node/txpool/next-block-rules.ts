/** The rules and prices that the head sets for the next block. */
import type { Rules } from "../config/rules.ts";
import type { ExceptionRules } from "./exceptions.ts";
import type { PoolOptions } from "./options.ts";
import type { PoolChain, PoolState } from "./pool-chain.ts";

/** The rules for transactions until the next head. */
export interface NextBlockRules {
  readonly chainId: bigint;
  /** Rules of the head, for gas, and of the next block, for everything else. */
  readonly current: Rules;
  readonly next: Rules;
  /** The next block's base fee where its rules have one, else the unit price; in peb. */
  readonly price: bigint;
  /** Maximum number of blobs of a transaction. */
  readonly maxBlobs: number;
  readonly state: PoolState;
  readonly limits: Pick<PoolOptions, "maxSize" | "maxGas">;
  /** Limit of gas that is set for the next block now; undefined for none. */
  readonly gasLimit: () => bigint | undefined;
  /** Rules for senders who need no balance; undefined for none. */
  readonly exceptions: ExceptionRules | undefined;
}

/** Reads the rules at the chain's head. */
export function nextBlockRules(
  chain: PoolChain,
  limits: NextBlockRules["limits"],
  exceptions?: ExceptionRules,
): NextBlockRules {
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
    gasLimit: () => chain.gasLimit(chain.head().number + 1),
    exceptions,
  };
}

/** True when the fixed price has changed since `before`, so that no admitted transaction fits. */
export function isRepriced(before: NextBlockRules, after: NextBlockRules): boolean {
  return !after.next.baseFee && before.price !== after.price;
}
