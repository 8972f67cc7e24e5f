import type { Transaction } from "../model/transaction.ts";
import type { PoolEntry } from "./entry.ts";
import { Heap } from "./heap.ts";

/**
 * The order in which a proposer takes transactions: of every account the next nonce, among accounts the
 * highest tip first, of equal tips the one seen first. Works on a copy: the pool may change meanwhile.
 */
export class PriceOrder {
  readonly #heads: Heap<Head>;
  readonly #baseFee: bigint | undefined;

  /** `runs`: of each account its transactions, ascending by nonce. */
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

  /** The best transaction was taken: its account goes on with the next nonce. */
  shift(): void {
    const head = this.#heads.top();
    if (!head) return;
    const next = headAt(head.run, head.index + 1, this.#baseFee);
    if (next) this.#heads.replaceTop(next);
    else this.#heads.pop();
  }

  /** The best transaction was left out: nothing more of its account can follow. */
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

/** What a unit of gas offers above the base fee, in peb; negative when it does not reach it. */
export function effectiveTip(tx: Transaction, baseFee: bigint | undefined): bigint {
  if (baseFee === undefined) return tx.gasTipCap;
  const above = tx.gasFeeCap - baseFee;
  return above < tx.gasTipCap ? above : tx.gasTipCap;
}

function goesFirst(a: Head, b: Head): boolean {
  return a.tip === b.tip ? a.entry.seen < b.entry.seen : a.tip > b.tip;
}
