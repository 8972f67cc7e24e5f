/** Metrics of the transaction pool and of its spam throttler. */
import type { Counter, Metrics } from "../observe/metrics.ts";
import type { ThrottlerFigures } from "./spam-scores.ts";

/** Counters of the pool, under the Go node's names. */
export interface PoolMetrics {
  readonly pendingDiscard: Counter;
  readonly pendingReplace: Counter;
  readonly pendingRateLimit: Counter;
  readonly pendingNoFunds: Counter;
  readonly queuedDiscard: Counter;
  readonly queuedReplace: Counter;
  readonly queuedRateLimit: Counter;
  readonly queuedNoFunds: Counter;
  readonly invalid: Counter;
  readonly underpriced: Counter;
  readonly refused: Counter;
}

/** Counters of the spam throttler. */
export interface ThrottlerMetrics {
  readonly held: Counter;
  readonly dropped: Counter;
}

/** Declares the gauges of the spam throttler: 0 while it does not run. */
export function declareThrottlerGauges(
  metrics: Metrics,
  throttler: { figures(): ThrottlerFigures | undefined },
): void {
  for (const [name, help, field] of THROTTLER_GAUGES) {
    metrics.gauge({
      name: `txpool/throttler/${name}`,
      help,
      read: () => throttler.figures()?.[field] ?? 0,
    });
  }
}

const THROTTLER_GAUGES = [
  ["threshold", "Weight above which an address's transactions are held back.", "threshold"],
  ["candidate/size", "Addresses that are watched.", "candidates"],
  ["throttled/size", "Addresses whose transactions are held back.", "suspects"],
  ["allowed/size", "Addresses that are never held back.", "allowed"],
] as const;

/** Declares the spam throttler's metrics. */
export function declareThrottlerMetrics(metrics: Metrics): ThrottlerMetrics {
  return {
    held: metrics.counter({
      name: "knit_txpool_throttled_total",
      help: "Transactions of peers that the spam throttler held back.",
    }),
    dropped: metrics.counter({
      name: "txpool/throttler/dropped/count",
      help: "Throttled transactions dropped because the limit was reached.",
    }),
  };
}

/** Counts of the pool at a scrape. */
export interface PoolCounts {
  readonly pending: number;
  readonly queued: number;
  readonly slots: number;
}

/** Declares the pool's metrics; gauges are read from `counts` when scraped. */
export function declarePoolMetrics(metrics: Metrics, counts: () => PoolCounts): PoolMetrics {
  metrics.gauge({
    name: "tx/pool/pending/gauge",
    help: "Executable transactions in the pool.",
    read: () => counts().pending,
  });
  metrics.gauge({
    name: "tx/pool/queue/gauge",
    help: "Waiting transactions in the pool.",
    read: () => counts().queued,
  });
  metrics.gauge({
    name: "txpool/slots",
    help: "Slots of 32 KiB that the pool's transactions fill.",
    read: () => counts().slots,
  });
  const counter = (name: string, help: string) => metrics.counter({ name, help });
  return {
    pendingDiscard: counter(
      "txpool/pending/discard",
      "Transactions refused because an executable one has the nonce.",
    ),
    pendingReplace: counter("txpool/pending/replace", "Executable transactions replaced by another."),
    pendingRateLimit: counter(
      "txpool/pending/ratelimit",
      "Executable transactions dropped over the total limit.",
    ),
    pendingNoFunds: counter("txpool/pending/nofunds", "Executable transactions dropped as no longer valid."),
    queuedDiscard: counter(
      "txpool/queued/discard",
      "Transactions refused because a waiting one has the nonce.",
    ),
    queuedReplace: counter("txpool/queued/replace", "Waiting transactions replaced by another."),
    queuedRateLimit: counter("txpool/queued/ratelimit", "Waiting transactions dropped over a limit."),
    queuedNoFunds: counter("txpool/queued/nofunds", "Waiting transactions dropped as no longer valid."),
    invalid: counter("txpool/invalid", "Transactions refused as invalid."),
    underpriced: counter(
      "txpool/underpriced",
      "Transactions refused or dropped as the cheapest of a full pool.",
    ),
    refused: counter("txpool/refuse", "Transactions refused because the pool is full."),
  };
}
