/** What operators watch of the chain. */
import type { Metrics } from "../observe/metrics.ts";
import type { Chain } from "./chain.ts";

/** Declares the chain's metrics: read when they are scraped, counted at each new head. */
export function declareChainMetrics(metrics: Metrics, chain: Chain): void {
  metrics.gauge({
    name: "blockchain/head/blocknumber",
    help: "Number of the newest block",
    read: () => chain.head().header.number,
  });
  metrics.gauge({
    name: "blockchain/block/tx/gauge",
    help: "Transactions of the newest block",
    read: () => chain.head().transactions.length,
  });
  metrics.gauge({
    name: "chain/basefee",
    help: "Base fee of the newest block in peb",
    read: () => Number(chain.head().header.baseFee ?? 0n),
  });
  const transactions = metrics.counter({
    name: "blockchain/block/tx/counter",
    help: "Transactions of all blocks since the start",
  });
  chain.onHead((block) => transactions.add(block.transactions.length));
}
