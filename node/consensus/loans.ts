/**
 * Loans of a proposer (KIP-247): the transaction that lends, an approval where there is one, and the swap that pays back
 * stand behind one another in a block, all of them or none (`kaiax/gasless/impl/builder.go` and `work/builder@v2.2.2`).
 */
import { mapKey } from "../bytes/hex.ts";
import { type BlockContext, type ExecutedTransaction, executeSuccessful } from "../execution/transaction.ts";
import type { Transaction } from "../model/transaction.ts";
import type { World } from "../state/world/world.ts";

/** Decides on loans, and makes the transactions that lend. */
export interface Lender {
  /** True for a swap that pays a loan back, behind its approval if there is one. */
  canLend(approve: Transaction | undefined, swap: Transaction): boolean;
  lend(approve: Transaction | undefined, swap: Transaction): Transaction;
}

/** A transaction with its result. */
export interface LoanResult {
  readonly tx: Transaction;
  readonly done: ExecutedTransaction;
}

/** The next transactions of a proposal, as far as loans look at them. */
interface Coming {
  peek(): Transaction | undefined;
  /** Returns the transaction of the same sender after the best one. */
  following(): Transaction | undefined;
  shift(): void;
}

/** The loans of one block. */
export class Loans {
  readonly #lender: Lender | undefined;
  /** Approvals that wait for their swaps, by map key of the swap's hash. */
  readonly #waiting = new Map<string, Transaction>();

  constructor(lender: Lender | undefined) {
    this.#lender = lender;
  }

  /** Takes the best transaction away if it is an approval that comes with its swap, and returns true then. */
  putOff(candidates: Coming): boolean {
    const approve = candidates.peek();
    const swap = candidates.following();
    if (approve === undefined || swap === undefined || this.#lender?.canLend(approve, swap) !== true) {
      return false;
    }
    this.#waiting.set(mapKey(swap.hash), approve);
    candidates.shift();
    return true;
  }

  /** Returns the transactions of the loan that a swap pays back, the swap last; undefined for all others. */
  bundleOf(swap: Transaction): readonly Transaction[] | undefined {
    const approve = this.#waiting.get(mapKey(swap.hash));
    if (this.#lender?.canLend(approve, swap) !== true) return undefined;
    const lending = this.#lender.lend(approve, swap);
    return approve === undefined ? [lending, swap] : [lending, approve, swap];
  }
}

/**
 * Executes transactions if all of them succeed; otherwise returns undefined and leaves the world unchanged. Throws
 * `ExecutionError`, with the world unchanged as well.
 */
export function executeTogether(
  world: World,
  transactions: readonly Transaction[],
  context: BlockContext,
): readonly LoanResult[] | undefined {
  const executed: LoanResult[] = [];
  world.beginGroup();
  try {
    for (const tx of transactions) {
      const done = executeSuccessful(world, tx, context);
      if (done === undefined) return undefined;
      executed.push({ tx, done });
    }
    world.endGroup();
    return executed;
  } finally {
    if (executed.length < transactions.length) world.cancelGroup();
  }
}
