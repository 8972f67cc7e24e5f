import type { Counter, Metrics } from "../observe/metrics.ts";

/** What the pool counts; the names are the Go node's. */
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

/** What the spam throttler counts. */
export interface ThrottlerMetrics {
  readonly held: Counter;
  readonly dropped: Counter;
}

/** Declares the spam throttler's metrics. */
export function declareThrottlerMetrics(metrics: Metrics): ThrottlerMetrics {
  return {
    held: metrics.counter({
      name: "txpool/throttler/held",
      help: "Transactions of peers that the spam throttler held back.",
    }),
    dropped: metrics.counter({
      name: "txpool/throttler/dropped",
      help: "Of these, those that were dropped because too many were held back.",
    }),
  };
}

/** The pool's numbers at the moment of a scrape. */
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
