/**
 * Execution of a block: its transactions in order, then the reward. Each transaction is one synchronous step,
 * and other work may run between the steps.
 */

import type { Address } from "../bytes/brands.ts";
import { mergeBlooms } from "../model/bloom.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { World } from "../state/world/world.ts";
import { blockReward, feesOf, type RewardDeps } from "./reward.ts";
import { beginBlock } from "./system-call.ts";
import { type BlockContext, executeTransaction } from "./transaction.ts";

/** Result of a block's transactions. */
export interface BlockOutcome {
  readonly receipts: readonly Receipt[];
  readonly gasUsed: bigint;
  readonly bloom: Uint8Array;
  readonly totalFee: bigint;
}

/** Executes all transactions. Throws the `ExecutionError` of the first invalid one. */
export async function executeTransactions(
  world: World,
  transactions: readonly Transaction[],
  context: BlockContext,
  pause: Pause,
): Promise<BlockOutcome> {
  beginBlock(world, context);
  const receipts: Receipt[] = [];
  let totalFee = 0n;
  for (const tx of transactions) {
    const { receipt, fee } = executeTransaction(world, tx, context);
    receipts.push(receipt);
    totalFee += fee;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  return blockOutcome(receipts, totalFee);
}

/** Sums up the receipts of one block. */
export function blockOutcome(receipts: readonly Receipt[], totalFee: bigint): BlockOutcome {
  let gasUsed = 0n;
  for (const receipt of receipts) gasUsed += receipt.gasUsed;
  return { receipts, gasUsed, bloom: mergeBlooms(receipts.map((receipt) => receipt.bloom)), totalFee };
}

/** Pays the block reward, the last change of the state before the block is sealed. */
export function finalizeBlock(
  world: World,
  header: Header,
  { outcome, ...deps }: { outcome: BlockOutcome } & Pick<RewardDeps, "rules" | "parameters" | "staking">,
): void {
  const { gasUsed, totalFee: paid } = outcome;
  const totalFee = feesOf({ gasUsed, paid, baseFee: header.baseFee }, deps.rules, deps.parameters);
  const { credits } = blockReward({ totalFee, rewardbase: header.rewardbase, ...deps });
  for (const { address, amount } of credits) {
    if (amount < 0n) takeReward(world, address, -amount);
    else world.addBalance(address, amount);
  }
}

/**
 * Takes a negative reward from an account. One with less is emptied: the Go node cannot make a block then, since no state
 * holds a negative balance.
 */
function takeReward(world: World, address: Address, amount: bigint): void {
  const balance = world.balance(address);
  world.subtractBalance(address, amount < balance ? amount : balance);
}
