/** Metrics of the auction, under the Go node's names where it has them. */
import type { Counter, Metrics } from "../observe/metrics.ts";

/** Counters of bids. */
export interface AuctionMetrics {
  readonly taken: Counter;
  readonly refused: Counter;
}

/** Declares the metrics; `bids` is the number of bids in the pool. */
export function declareAuctionMetrics(metrics: Metrics, bids: () => number): AuctionMetrics {
  metrics.gauge({
    name: "kaiax/auction/bidpool/num/bids",
    help: "Bids for places in the next blocks.",
    read: bids,
  });
  const counter = (name: string, help: string): Counter => metrics.counter({ name, help });
  return {
    taken: counter("knit_auction_taken_bids_total", "Bids that the pool has taken."),
    refused: counter("knit_auction_refused_bids_total", "Bids that were refused."),
  };
}
