/**
 * The spam throttler: while the pool fills up, transactions from peers to addresses where most fail are held and
 * released a few per second. Held transactions are bounded in number and bytes; more are dropped.
 */
import type { Address } from "../bytes/brands.ts";
import type { Block } from "../model/block.ts";
import type { Receipt } from "../model/receipt.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import { recipientOf } from "../model/recipient.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Clock } from "../runtime/clock.ts";
import { PoolError } from "./error.ts";
import type { ThrottlerMetrics } from "./metrics.ts";
import { DEFAULT_THROTTLER, SpamScores, type ThrottlerConfig, type ThrottlerFigures } from "./spam-scores.ts";

/** Control of the throttler. All but `start` throw `PoolError` `throttler-state` while it does not run. */
export interface SpamThrottler {
  /** Throws while it runs. Absent settings have their defaults. */
  start(config?: Partial<ThrottlerConfig>): void;
  stop(): void;
  config(): ThrottlerConfig;
  /** Addresses that are never held back. */
  allow(addresses: readonly Address[]): void;
  allowedAddresses(): Address[];
  suspects(): Address[];
  candidates(): { readonly address: Address; readonly weight: number }[];
}

/** Bounds of held transactions: seconds of the release rate, and bytes. */
const MAX_HELD_SECONDS = 5;
const MAX_HELD_BYTES = 8 * 1024 * 1024;

interface RunningThrottler {
  readonly config: ThrottlerConfig;
  readonly scores: SpamScores;
}

/** The throttler; the pool asks it about every transaction of a peer. */
export class Throttler implements SpamThrottler {
  readonly #clock: Clock;
  readonly #metrics: ThrottlerMetrics;
  #running: RunningThrottler | undefined;
  #held: Transaction[] = [];
  #heldBytes = 0;

  constructor(clock: Clock, metrics: ThrottlerMetrics) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** True when it holds or drops a transaction of a peer. `size` is the pool's. */
  holdsBack(transaction: Transaction, size: number): boolean {
    const to = recipientOf(transaction);
    if (this.#running === undefined || to === undefined) return false;
    const { config, scores } = this.#running;
    if (size <= config.activateTxPoolSize) return false;
    if (!scores.isSuspect(to, this.#clock.now())) return false;
    this.#metrics.held.add(1);
    const bytes = transaction.raw.length;
    const full =
      this.#held.length >= MAX_HELD_SECONDS * config.throttleTps || this.#heldBytes + bytes > MAX_HELD_BYTES;
    if (full) this.#metrics.dropped.add(1);
    else {
      this.#held.push(transaction);
      this.#heldBytes += bytes;
    }
    return true;
  }

  /** Returns the transactions released now. Called once a second. */
  release(): Transaction[] {
    const released = this.#held.splice(0, this.#running?.config.throttleTps ?? this.#held.length);
    for (const { raw } of released) this.#heldBytes -= raw.length;
    return released;
  }

  /** Updates the scores from a new block while it runs. */
  observe({ transactions }: Block, receipts: readonly Receipt[]): void {
    if (this.#running === undefined) return;
    const outcomes = transactions.map((tx, index) => {
      const failed = (receipts[index]?.status ?? STATUS_SUCCESS) !== STATUS_SUCCESS;
      return { to: recipientOf(tx), failed };
    });
    this.#running.scores.observe(outcomes, this.#clock.now());
  }

  start(given: Partial<ThrottlerConfig> = {}): void {
    if (this.#running !== undefined)
      throw new PoolError("throttler-state", "spam throttler is already running");
    const config = { ...DEFAULT_THROTTLER, ...given };
    this.#running = { config, scores: new SpamScores(config) };
  }

  stop(): void {
    if (this.#running === undefined)
      throw new PoolError("throttler-state", "spam throttler was already stopped");
    this.#running = undefined;
  }

  config(): ThrottlerConfig {
    return this.#requireRunning().config;
  }

  allow(addresses: readonly Address[]): void {
    this.#requireRunning().scores.allow(addresses);
  }

  allowedAddresses(): Address[] {
    return this.#requireRunning().scores.allowedAddresses();
  }

  suspects(): Address[] {
    return this.#requireRunning().scores.suspects();
  }

  candidates(): { readonly address: Address; readonly weight: number }[] {
    return this.#requireRunning().scores.candidates();
  }

  /** Returns the figures; undefined while it does not run. */
  figures(): ThrottlerFigures | undefined {
    const scores = this.#running?.scores;
    return (
      scores && {
        threshold: scores.threshold,
        candidates: scores.candidates().length,
        suspects: scores.suspects().length,
        allowed: scores.allowedAddresses().length,
      }
    );
  }

  #requireRunning(): RunningThrottler {
    if (this.#running !== undefined) return this.#running;
    throw new PoolError("throttler-state", "spam throttler is not running");
  }
}
