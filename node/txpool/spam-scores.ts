/**
 * Spam scores of recipients whose transactions fail often. Every failed transaction of a block adds weight to its
 * recipient, every block reduces all weights; an address above the threshold is a suspect for some time. The threshold
 * falls while many transactions fail, and rises again. Data only: callers pass the block's time.
 */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";

/** Settings of the throttler, with the Go node's names. */
export interface ThrottlerConfig {
  /** Size of the pool above which transactions to suspects are held back. */
  readonly activateTxPoolSize: number;
  /** Percent of a block's transactions that may fail without lowering the threshold. */
  readonly targetFailRatio: number;
  /** Held transactions released per second. */
  readonly throttleTps: number;
  readonly maxCandidates: number;
  readonly increaseWeight: number;
  readonly decreaseWeight: number;
  readonly initialThreshold: number;
  readonly minimumThreshold: number;
  readonly thresholdAdjustment: number;
  readonly throttleSeconds: number;
}

/** The Go node's defaults. */
export const DEFAULT_THROTTLER: ThrottlerConfig = {
  activateTxPoolSize: 1000,
  targetFailRatio: 20,
  throttleTps: 100,
  maxCandidates: 10_000,
  increaseWeight: 5,
  decreaseWeight: 1,
  initialThreshold: 500,
  minimumThreshold: 100,
  thresholdAdjustment: 5,
  throttleSeconds: 300,
};

/** Figures of a running throttler: a weight and numbers of addresses. */
export interface ThrottlerFigures {
  readonly threshold: number;
  readonly candidates: number;
  readonly suspects: number;
  readonly allowed: number;
}

/** Recipient of a mined transaction, and true when it failed. */
export interface TransactionOutcome {
  readonly to: Address | undefined;
  readonly failed: boolean;
}

interface Candidate {
  readonly address: Address;
  weight: number;
}

/** The scores. Holds at most `maxCandidates` candidates and as many suspects. */
export class SpamScores {
  readonly #config: ThrottlerConfig;
  readonly #candidates = new Map<string, Candidate>();
  /** Suspects with the end of their time, in milliseconds. */
  readonly #suspects = new Map<string, { readonly address: Address; readonly until: number }>();
  #allowed = new Map<string, Address>();
  #threshold: number;

  constructor(config: ThrottlerConfig) {
    this.#config = config;
    this.#threshold = config.initialThreshold;
  }

  /** Updates the scores from a block. */
  observe(outcomes: readonly TransactionOutcome[], now: number): void {
    let failed = 0;
    for (const outcome of outcomes) {
      if (!outcome.failed) continue;
      failed++;
      if (outcome.to !== undefined) this.#weigh(outcome.to);
    }
    for (const [key, { until }] of this.#suspects) if (until <= now) this.#suspects.delete(key);
    this.#settle(now);
    const ratio = outcomes.length === 0 ? 0 : (100 * failed) / outcomes.length;
    this.#adjust(ratio > this.#config.targetFailRatio);
  }

  /** True for an address whose transactions are held back now. */
  isSuspect(address: Address, now: number): boolean {
    const key = mapKey(address);
    const suspect = this.#suspects.get(key);
    return suspect !== undefined && suspect.until > now && !this.#allowed.has(key);
  }

  /** Replaces the addresses that are never held back. */
  allow(addresses: readonly Address[]): void {
    this.#allowed = new Map(addresses.map((address) => [mapKey(address), address]));
  }

  get threshold(): number {
    return this.#threshold;
  }

  allowedAddresses(): Address[] {
    return [...this.#allowed.values()];
  }

  suspects(): Address[] {
    return [...this.#suspects.values()].map(({ address }) => address);
  }

  candidates(): { readonly address: Address; readonly weight: number }[] {
    return [...this.#candidates.values()].map(({ address, weight }) => ({ address, weight }));
  }

  #weigh(address: Address): void {
    const key = mapKey(address);
    const known = this.#candidates.get(key);
    if (known !== undefined) known.weight += this.#config.increaseWeight;
    else if (this.#candidates.size < this.#config.maxCandidates) {
      // A copy: the address would keep its block.
      this.#candidates.set(key, { address: Uint8Array.from(address), weight: this.#config.increaseWeight });
    }
  }

  #settle(now: number): void {
    const { decreaseWeight, maxCandidates, throttleSeconds } = this.#config;
    for (const [key, candidate] of this.#candidates) {
      candidate.weight -= decreaseWeight;
      if (candidate.weight > this.#threshold && this.#suspects.size < maxCandidates) {
        const until = now + throttleSeconds * 1000;
        this.#suspects.set(key, { address: candidate.address, until });
        this.#candidates.delete(key);
      } else if (candidate.weight <= 0) this.#candidates.delete(key);
    }
  }

  #adjust(down: boolean): void {
    const { initialThreshold, minimumThreshold, thresholdAdjustment } = this.#config;
    const next = this.#threshold + (down ? -thresholdAdjustment : thresholdAdjustment);
    this.#threshold = Math.min(Math.max(next, minimumThreshold), initialThreshold);
  }
}
