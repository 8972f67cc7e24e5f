/**
 * The spam throttler: while the pool is filling up, transactions from peers to addresses where most fail are held
 * back and let through a few a second. What is held back is bounded in number and bytes; more is dropped.
 */
import type { Block } from "../model/block.ts";
import type { Receipt } from "../model/receipt.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Clock } from "../runtime/clock.ts";
import { PoolError } from "./error.ts";
import type { ThrottlerMetrics } from "./metrics.ts";
import { DEFAULT_THROTTLER, Suspects, type ThrottlerConfig } from "./suspects.ts";

/** What operators do with it. Everything but `start` throws `PoolError` `throttler-state` while it does not run. */
export interface SpamThrottler {
  /** Throws while it runs. What is left out has the default. */
  start(config?: Partial<ThrottlerConfig>): void;
  stop(): void;
  config(): ThrottlerConfig;
  /** Addresses that are never held back. */
  allow(addresses: readonly Uint8Array[]): void;
  allowed(): Uint8Array[];
  suspects(): Uint8Array[];
  candidates(): { readonly address: Uint8Array; readonly weight: number }[];
}

/** How it stands: a weight, and numbers of addresses. */
export interface ThrottlerFigures {
  readonly threshold: number;
  readonly candidates: number;
  readonly suspects: number;
  readonly allowed: number;
}

/** Seconds' worth of transactions that may be held back, and their bytes. */
const MOST_SECONDS = 5;
const MOST_BYTES = 8 * 1024 * 1024;

interface Running {
  readonly config: ThrottlerConfig;
  readonly suspects: Suspects;
}

/** See above; the pool asks it about every transaction of a peer. */
export class Throttler implements SpamThrottler {
  readonly #clock: Clock;
  readonly #metrics: ThrottlerMetrics;
  #running: Running | undefined;
  #held: Transaction[] = [];
  #heldBytes = 0;

  constructor(clock: Clock, metrics: ThrottlerMetrics) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** True when it keeps a transaction of a peer back, for later or for good. `size` is the pool's. */
  holdsBack(transaction: Transaction, size: number): boolean {
    if (this.#running === undefined || transaction.to === undefined) return false;
    const { config, suspects } = this.#running;
    if (size <= config.activateTxPoolSize) return false;
    if (!suspects.isSuspect(transaction.to, this.#clock.now())) return false;
    this.#metrics.held.add(1);
    const bytes = transaction.raw.length;
    const full =
      this.#held.length >= MOST_SECONDS * config.throttleTps || this.#heldBytes + bytes > MOST_BYTES;
    if (full) this.#metrics.dropped.add(1);
    else {
      this.#held.push(transaction);
      this.#heldBytes += bytes;
    }
    return true;
  }

  /** What may go into the pool now, asked once a second. */
  release(): Transaction[] {
    const released = this.#held.splice(0, this.#running?.config.throttleTps ?? this.#held.length);
    for (const { raw } of released) this.#heldBytes -= raw.length;
    return released;
  }

  /** Learns from a new block while it runs. */
  observe({ transactions }: Block, receipts: readonly Receipt[]): void {
    if (this.#running === undefined) return;
    const outcomes = transactions.map(({ to }, index) => {
      return { to, failed: (receipts[index]?.status ?? STATUS_SUCCESS) !== STATUS_SUCCESS };
    });
    this.#running.suspects.observe(outcomes, this.#clock.now());
  }

  start(given: Partial<ThrottlerConfig> = {}): void {
    if (this.#running !== undefined)
      throw new PoolError("throttler-state", "spam throttler is already running");
    const config = { ...DEFAULT_THROTTLER, ...given };
    this.#running = { config, suspects: new Suspects(config) };
  }

  stop(): void {
    if (this.#running === undefined)
      throw new PoolError("throttler-state", "spam throttler was already stopped");
    this.#running = undefined;
  }

  config(): ThrottlerConfig {
    return this.#needed().config;
  }

  allow(addresses: readonly Uint8Array[]): void {
    this.#needed().suspects.allow(addresses);
  }

  allowed(): Uint8Array[] {
    return this.#needed().suspects.allowed();
  }

  suspects(): Uint8Array[] {
    return this.#needed().suspects.suspects();
  }

  candidates(): { readonly address: Uint8Array; readonly weight: number }[] {
    return this.#needed().suspects.candidates();
  }

  /** `undefined` while it does not run. */
  figures(): ThrottlerFigures | undefined {
    const suspects = this.#running?.suspects;
    return (
      suspects && {
        threshold: suspects.threshold,
        candidates: suspects.candidates().length,
        suspects: suspects.suspects().length,
        allowed: suspects.allowed().length,
      }
    );
  }

  #needed(): Running {
    if (this.#running !== undefined) return this.#running;
    throw new PoolError("throttler-state", "spam throttler is not running");
  }
}
