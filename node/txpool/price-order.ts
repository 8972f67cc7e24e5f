/** The order of transactions in a proposal. */
import type { Transaction } from "../model/transaction.ts";
import type { PoolEntry } from "./entry.ts";
import { Heap } from "./heap.ts";

/**
 * Iterates over transactions in the proposer's order: the next nonce of each account, the highest tip first, of equal
 * tips the earliest arrival. Works on a copy: the pool may change meanwhile.
 */
export class PriceOrder {
  readonly #heads: Heap<Head>;
  readonly #baseFee: bigint | undefined;

  /** `runs` are the transactions of each account, ascending by nonce. */
  constructor(runs: readonly (readonly PoolEntry[])[], baseFee: bigint | undefined) {
    this.#baseFee = baseFee;
    const heads: Head[] = [];
    for (const run of runs) {
      const head = headAt(run, 0, baseFee);
      if (head) heads.push(head);
    }
    this.#heads = new Heap(goesFirst, heads);
  }

  /** The best transaction; it stays until `shift` or `pop`. */
  peek(): Transaction | undefined {
    return this.#heads.top()?.entry.transaction;
  }

  /** The transaction of the same account after the best one. */
  following(): Transaction | undefined {
    const head = this.#heads.top();
    return head && headAt(head.run, head.index + 1, this.#baseFee)?.entry.transaction;
  }

  /** Takes the best transaction; its account continues with the next nonce. */
  shift(): void {
    const head = this.#heads.top();
    if (!head) return;
    const next = headAt(head.run, head.index + 1, this.#baseFee);
    if (next) this.#heads.replaceTop(next);
    else this.#heads.pop();
  }

  /** Skips the best transaction and the rest of its account. */
  pop(): void {
    this.#heads.pop();
  }
}

interface Head {
  readonly run: readonly PoolEntry[];
  readonly index: number;
  readonly entry: PoolEntry;
  readonly tip: bigint;
}

/** Undefined where an account's run ends: at its last transaction or one that cannot be in the block. */
function headAt(run: readonly PoolEntry[], index: number, baseFee: bigint | undefined): Head | undefined {
  const entry = run[index];
  if (!entry || entry.unexecutable) return undefined;
  const tip = effectiveTip(entry.transaction, baseFee);
  return tip < 0n ? undefined : { run, index, entry, tip };
}

/** Returns the tip per unit of gas above the base fee, in peb; negative when the price is below it. */
export function effectiveTip(tx: Transaction, baseFee: bigint | undefined): bigint {
  if (baseFee === undefined) return tx.gasTipCap;
  const above = tx.gasFeeCap - baseFee;
  return above < tx.gasTipCap ? above : tx.gasTipCap;
}

function goesFirst(a: Head, b: Head): boolean {
  return a.tip === b.tip ? a.entry.seen < b.entry.seen : a.tip > b.tip;
}
