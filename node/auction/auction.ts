/**
 * The auction of a consensus node (KIP-249): follows the contract that announces it, keeps the bids of the auctioneer,
 * and gives a proposer the transactions of bids (`kaiax/auction/impl@v2.2.2`). No rule of a block knows of it: a bid
 * becomes a transaction of the proposer behind its target.
 */
import type { Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { contractsAfter } from "../chain/contracts-after.ts";
import type { Bid } from "../model/bid.ts";
import type { Block } from "../model/block.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { StateError } from "../state/error.ts";
import { BidPool } from "./bid-pool.ts";
import { type AuctionContract, bidTransaction, isSameAuction, readAuctionContract } from "./contract.ts";
import { AuctionError } from "./error.ts";
import { type AuctionMetrics, declareAuctionMetrics } from "./metrics.ts";
import type { AuctionOptions } from "./options.ts";

/** Dependencies of an auction. */
export interface AuctionDeps {
  readonly chain: Chain;
  readonly options: AuctionOptions;
  /** True while blocks of peers are caught up with: the auction pauses then. */
  readonly isCatchingUp: () => boolean;
  /** Signs a digest as the proposer: r, s and parity. */
  readonly sign: (digest: Hash) => Uint8Array;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Called with a bid that the pool has taken. Must not throw. */
export type BidListener = (bid: Bid) => void;

/** Number of a new block, and the proposer's next nonce in it. */
export interface BidPlace {
  readonly number: number;
  readonly nonce: bigint;
}

/** A running auction. Disposing it ends its look at the chain. */
export interface Auction extends Disposable {
  /** False until a block has announced an auction, and while the node catches up. */
  readonly isRunning: boolean;
  /** Time before a proposal from which on only targets of bids are taken into it, in milliseconds. */
  readonly earlyDeadlineMs: number;
  /** Takes a bid. Throws `AuctionError` with the Go node's text. */
  add(bid: Bid): void;
  /** True for a transaction that a bid for block `number` follows. */
  isTarget(transaction: Transaction, number: number): boolean;
  /** Returns the transaction of the bid for the place behind a transaction of a block; undefined without a bid. */
  follower(target: Transaction, place: BidPlace): Transaction | undefined;
  /** Registers a listener; the returned function removes it. */
  onBid(listener: BidListener): () => void;
}

/** Opens an auction, paused until the next block. */
export function openAuction(deps: AuctionDeps): Auction {
  const { chain, options, metrics } = deps;
  const pool = new BidPool({ chainId: chain.config.chainId, maxBids: options.maxBids });
  return new FollowedAuction(
    deps,
    pool,
    declareAuctionMetrics(metrics, () => pool.size),
  );
}

class FollowedAuction implements Auction {
  readonly #deps: AuctionDeps;
  readonly #pool: BidPool;
  readonly #metrics: AuctionMetrics;
  readonly #listeners = new Set<BidListener>();
  readonly #ends: readonly (() => void)[];
  /** Of the last block that was looked at, also while the auction pauses. */
  #contract: AuctionContract | undefined;
  #isRunning = false;

  constructor(deps: AuctionDeps, pool: BidPool, metrics: AuctionMetrics) {
    this.#deps = deps;
    this.#metrics = metrics;
    this.#pool = pool;
    const { chain } = deps;
    this.#ends = [chain.onHead((block) => this.#follow(block)), chain.onRewind(() => this.#pause())];
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get earlyDeadlineMs(): number {
    return this.#deps.options.earlyDeadlineMs;
  }

  add(bid: Bid): void {
    try {
      this.#take(bid);
    } catch (error) {
      if (error instanceof AuctionError) this.#metrics.refused.add(1);
      throw error;
    }
    this.#metrics.taken.add(1);
    for (const listener of this.#listeners) listener(bid);
  }

  isTarget({ hash }: Transaction, number: number): boolean {
    return this.#isRunning && this.#pool.find(number, hash) !== undefined;
  }

  follower(target: Transaction, { number, nonce }: BidPlace): Transaction | undefined {
    const contract = this.#running;
    const bid = this.#pool.find(number, target.hash);
    if (contract === undefined || bid === undefined) return undefined;
    const { chain, sign } = this.#deps;
    const rules = chain.rules(number);
    return bidTransaction({ bid, target, contract, rules, chainId: chain.config.chainId, nonce, sign });
  }

  onBid(listener: BidListener): () => void {
    const own: BidListener = (bid) => listener(bid);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end();
    this.#pause();
  }

  #take(bid: Bid): void {
    const contract = this.#running;
    if (contract === undefined) throw new AuctionError("paused", "auction is paused");
    this.#pool.add(bid, { number: this.#deps.chain.head().header.number, contract });
  }

  get #running(): AuctionContract | undefined {
    return this.#isRunning ? this.#contract : undefined;
  }

  #follow({ header, transactions }: Block): void {
    const { chain, isCatchingUp } = this.#deps;
    if (isCatchingUp() || !chain.rules(header.number).randao) {
      this.#isRunning = false;
      return;
    }
    this.#setContract(this.#contractAfter(header.number));
    this.#isRunning = this.#contract !== undefined;
    if (this.#isRunning) this.#pool.follow(header.number, transactions);
  }

  #pause(): void {
    this.#isRunning = false;
    this.#pool.clear();
  }

  #setContract(contract: AuctionContract | undefined): void {
    if (isSameAuction(this.#contract, contract)) return;
    this.#contract = contract;
    this.#pool.clear();
    const { log } = this.#deps;
    if (contract === undefined) log.info({}, "the auction of places in blocks has ended");
    else log.info({ auctioneer: toHex(contract.auctioneer) }, "an auction of places in blocks runs");
  }

  #contractAfter(number: number): AuctionContract | undefined {
    try {
      return readAuctionContract(contractsAfter(this.#deps.chain, number));
    } catch (error) {
      if (error instanceof StateError && error.code === "state-missing") return undefined;
      throw error;
    }
  }
}
