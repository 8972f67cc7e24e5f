/**
 * A whole block against the world state: its transactions in order, then the reward. A synchronous step per
 * transaction; between steps the caller may let other work run.
 */

import { mergeBlooms } from "../model/bloom.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { World } from "../state/world/world.ts";
import { blockReward, feesOf, type RewardDeps } from "./reward.ts";
import { beginBlock } from "./system-call.ts";
import { type BlockContext, executeTransaction } from "./transaction.ts";

/** What a block's transactions did. */
export interface BlockOutcome {
  readonly receipts: readonly Receipt[];
  readonly gasUsed: bigint;
  readonly bloom: Uint8Array;
  readonly totalFee: bigint;
}

/** Executes all transactions; the first that cannot run ends it with its `ExecutionError`. */
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

/** Sums up receipts that belong to one block. */
export function blockOutcome(receipts: readonly Receipt[], totalFee: bigint): BlockOutcome {
  let gasUsed = 0n;
  for (const receipt of receipts) gasUsed += receipt.gasUsed;
  return { receipts, gasUsed, bloom: mergeBlooms(receipts.map((receipt) => receipt.bloom)), totalFee };
}

/** Pays the block's reward: the last thing that changes the state of a block before it is sealed. */
export function finalizeBlock(
  world: World,
  header: Header,
  { outcome, ...terms }: { outcome: BlockOutcome } & Pick<RewardDeps, "rules" | "parameters" | "staking">,
): void {
  const { gasUsed, totalFee: paid } = outcome;
  const totalFee = feesOf({ gasUsed, paid, baseFee: header.baseFee }, terms.rules, terms.parameters);
  const { credits } = blockReward({ totalFee, rewardbase: header.rewardbase, ...terms });
  for (const { address, amount } of credits) world.addBalance(address, amount);
}
