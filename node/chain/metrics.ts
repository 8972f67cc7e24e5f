/** What operators watch of the chain. */
import type { Clock } from "../observe/clock.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Chain } from "./chain.ts";

/** Declares the chain's metrics: read when they are scraped, counted at each new head. */
export function declareChainMetrics(metrics: Metrics, chain: Chain, clock: Clock): void {
  metrics.gauge({
    name: "blockchain/head/blocknumber",
    help: "Number of the newest block.",
    read: () => chain.head().header.number,
  });
  metrics.gauge({
    name: "blockchain/block/tx/gauge",
    help: "Transactions of the newest block.",
    read: () => chain.head().transactions.length,
  });
  metrics.gauge({
    name: "chain/basefee",
    help: "Base fee of the newest block in peb.",
    read: () => Number(chain.head().header.baseFee ?? 0n),
  });
  metrics.gauge({
    name: "knit_head_age_seconds",
    help: "How long ago the newest block was made, by its own time.",
    read: () => clock.now() / 1000 - chain.head().header.time,
  });
  metrics.gauge({
    name: "knit_history_oldest_block",
    help: "The first block after block 0 whose body and receipts are kept.",
    read: () => chain.oldestBody(),
  });
  const blocks = metrics.counter({ name: "knit_blocks_total", help: "Blocks since the start." });
  const transactions = metrics.counter({
    name: "blockchain/block/tx/counter",
    help: "Transactions of all blocks since the start.",
  });
  chain.onHead((block) => {
    blocks.add(1);
    transactions.add(block.transactions.length);
  });
}
