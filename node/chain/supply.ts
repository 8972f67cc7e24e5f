/**
 * The supply of the coin: minted and burnt amounts, summed up behind the chain and stored at every 128th
 * block. The change of a new block is computed while its receipts are in memory: reading those of 128 full
 * blocks again would delay other work. A database whose block 0 was written without its sum has no totals, and one that
 * lacks receipts behind its newest sum has no later ones.
 */
import { concatBytes } from "../bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import { feesOf, reportedReward } from "../execution/reward.ts";
import { noStaking } from "../governance/staking.ts";
import type { Block } from "../model/block.ts";
import type { Receipt } from "../model/receipt.ts";
import { effectivePrice } from "../model/transaction.ts";
import type { Log } from "../observe/log.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { Batch, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { type Derived, openBlockFollower } from "./block-follower.ts";
import type { Chain, RemovedBlock } from "./chain.ts";
import { oldestBody } from "./kept-blocks.ts";

/** Sums from block 0 on, in peb. */
export interface SupplyTotals {
  /** Block 0's balances among them. */
  readonly minted: bigint;
  readonly burntFees: bigint;
}

/** The totals, which follow the chain. */
export interface Supply extends AsyncDisposable {
  /** Up to and with a block; undefined where they are not known, or not yet. Rejects with `pruned-history`. */
  totals(number: number): Promise<SupplyTotals | undefined>;
  /** The first block that is yet to be summed up. */
  readonly next: number;
  /** Resolves when as many blocks are summed up as can be. */
  caughtUp(): Promise<void>;
}

/** The chain, its database and the interval of stored sums. */
export interface SupplyDeps {
  readonly chain: Chain;
  readonly store: Store;
  readonly pause: Pause;
  readonly log: Log;
  /** Blocks between two kept sums. */
  readonly interval?: number;
}

/** Blocks between two stored sums; the Go node stores its own at the same blocks. */
export const SUPPLY_INTERVAL = 128;
const BYTES = 32;
const NOBODY = new Uint8Array(20);

/** Notes the balances that block 0 begins with. */
export function putGenesisSupply(batch: Batch, balances: Iterable<bigint>): void {
  let minted = 0n;
  for (const balance of balances) minted += balance;
  putSupply(batch, 0, { minted, burntFees: 0n });
}

/** Starts to sum up behind the chain. */
export function openSupply(deps: SupplyDeps): Supply {
  const { store, interval = SUPPLY_INTERVAL } = deps;
  const changes = new Changes(deps, interval);
  const sums = new KeptSums(deps, { interval, changes });
  const follower = openBlockFollower(deps, sums);
  const endListening = deps.chain.onHead((block, receipts) => changes.add(block, receipts));
  return {
    get next() {
      return sums.next - interval + 1;
    },
    caughtUp: () => follower.caughtUp(),
    totals: async (number) => {
      const base = number - (number % interval);
      const row = store.get(tables.supply.key(base));
      return row && (await changes.sumUp(readTotals(row), { from: base + 1, to: number }));
    },
    [Symbol.asyncDispose]: () => {
      endListening();
      return follower[Symbol.asyncDispose]();
    },
  };
}

/** The sums that are kept: what is taken in is all blocks up to the next of them. */
class KeptSums implements Derived {
  readonly name = "supply";
  readonly #deps: SupplyDeps;
  readonly #interval: number;
  readonly #changes: Changes;
  /** The block of the newest kept sum; undefined without that of block 0, and where none can follow. */
  #last: number | undefined;
  #cuts = 0;

  constructor(
    deps: SupplyDeps,
    { interval, changes }: { readonly interval: number; readonly changes: Changes },
  ) {
    this.#deps = deps;
    this.#interval = interval;
    this.#changes = changes;
    this.#last = this.#continuable(lastKept(deps, interval));
  }

  get next(): number {
    return this.#last === undefined ? Number.POSITIVE_INFINITY : this.#last + this.#interval;
  }

  async take(): Promise<void> {
    const { store } = this.#deps;
    const { next } = this;
    const last = next - this.#interval;
    const cuts = this.#cuts;
    const row = store.get(tables.supply.key(last));
    const totals = row && (await this.#changes.sumUp(readTotals(row), { from: last + 1, to: next }));
    if (cuts !== this.#cuts) return; // some of the blocks may have been others
    if (totals === undefined) throw new Error(`what blocks ${last + 1} to ${next} paid is missing`);
    const batch = store.createBatch();
    putSupply(batch, next, totals);
    this.#last = next;
    await store.write(batch, { sync: false });
  }

  /**
   * Returns the block unless the next sum needs receipts that are not kept, as after an import from a later block: it
   * would be waited for, and no old block be pruned, for ever.
   */
  #continuable(last: number | undefined): number | undefined {
    return last === undefined || last + 1 < oldestBody(this.#deps.store) ? undefined : last;
  }

  cut(head: number, removed: readonly RemovedBlock[]): void {
    const { store, log } = this.#deps;
    this.#cuts++;
    this.#changes.forgetAfter(head);
    if (this.#last !== undefined)
      this.#last = this.#continuable(Math.min(this.#last, head - (head % this.#interval)));
    const batch = store.createBatch();
    for (const { block } of removed) batch.delete(tables.supply.key(block.header.number));
    store.write(batch, { sync: false }).catch((error: unknown) => {
      log.warn({ error }, "cannot delete the supply of removed blocks");
    });
  }
}

/** Sums are kept without gaps: the newest is found by halving. */
function lastKept(
  { chain, store }: Pick<SupplyDeps, "chain" | "store">,
  interval: number,
): number | undefined {
  const isKept = (step: number): boolean => store.get(tables.supply.key(step * interval)) !== undefined;
  if (!isKept(0)) return undefined;
  let low = 0;
  let high = Math.floor(chain.head().header.number / interval) + 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (isKept(middle)) low = middle;
    else high = middle;
  }
  return low * interval;
}

/** The change of the supply by each block: that of the newest ones is in memory, that of others is read. */
class Changes {
  readonly #deps: Pick<SupplyDeps, "chain" | "pause">;
  readonly #known = new Map<number, SupplyTotals>();
  readonly #most: number;

  constructor(deps: Pick<SupplyDeps, "chain" | "pause">, most: number) {
    this.#deps = deps;
    this.#most = most;
  }

  /** Of a new block. */
  add(block: Block, receipts: readonly Receipt[]): void {
    const { number } = block.header;
    this.#known.set(number, changeOf(this.#deps.chain, block, receipts));
    this.#known.delete(number - this.#most);
  }

  forgetAfter(head: number): void {
    for (const number of this.#known.keys()) if (number > head) this.#known.delete(number);
  }

  /** Undefined when a block or its receipts are gone. */
  async sumUp(
    before: SupplyTotals,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<SupplyTotals | undefined> {
    let { minted, burntFees } = before;
    for (let number = from; number <= to; number++) {
      const change = this.#known.get(number) ?? this.#read(number);
      if (change === undefined) return undefined;
      minted += change.minted;
      burntFees += change.burntFees;
      const waiting = this.#deps.pause();
      if (waiting !== undefined) await waiting;
    }
    return { minted, burntFees };
  }

  #read(number: number): SupplyTotals | undefined {
    const { chain } = this.#deps;
    const block = chain.block(number);
    if (block === undefined) return undefined;
    const receipts = block.transactions.length === 0 ? [] : chain.receipts(number);
    if (receipts === undefined || receipts.length < block.transactions.length) return undefined;
    return changeOf(chain, block, receipts);
  }
}

/** Neither sum depends on who had staked what. */
function changeOf(chain: Chain, { header, transactions }: Block, receipts: readonly Receipt[]): SupplyTotals {
  const { number, gasUsed, baseFee, rewardbase } = header;
  const rules = chain.rules(number);
  const parameters = chain.parameters(number);
  const paid = transactions.reduce((sum, tx, i) => {
    return sum + (receipts[i]?.gasUsed ?? 0n) * effectivePrice(tx, baseFee, rules);
  }, 0n);
  const totalFee = feesOf({ gasUsed, paid, baseFee }, rules, parameters);
  const terms = { totalFee, rules, parameters, staking: noStaking(0), rewardbase };
  const { minted, burnt } = reportedReward(terms, NOBODY);
  return { minted, burntFees: burnt };
}

/** Stores the sums up to a block, as signed words: votes may mint less than nothing. */
export function putSupply(batch: Batch, number: number, { minted, burntFees }: SupplyTotals): void {
  batch.put(tables.supply.key(number), concatBytes(signedWord(minted), signedWord(burntFees)));
}

function signedWord(sum: bigint): Uint8Array {
  return fixedBytes(BigInt.asUintN(8 * BYTES, sum), BYTES);
}

function readTotals(row: Uint8Array): SupplyTotals {
  return { minted: signedSum(row.subarray(0, BYTES)), burntFees: signedSum(row.subarray(BYTES)) };
}

function signedSum(word: Uint8Array): bigint {
  return BigInt.asIntN(8 * BYTES, bytesToBigint(word));
}
