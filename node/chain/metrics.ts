/** Metrics of the chain. */

import type { Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Chain } from "./chain.ts";
import type { Writer } from "./writer.ts";

/** Seconds of a step of a block. */
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const STEPS = [
  ["validate", "chain/validate", "A block's rules were checked."],
  ["execute", "chain/process", "A block's transactions ran."],
  ["finalize", "chain/finalize", "Rewards were paid."],
  ["hash", "state/account/hashes", "A block's state was hashed, slots included."],
  ["write", "state/account/commits", "A block's rows were written, the state's and all others."],
  ["all", "chain/inserts", "A block was checked, executed and written."],
] as const;

/** Declares what is measured of blocks that come from elsewhere. */
export function declareInsertMetrics(
  metrics: Metrics,
  writer: Pick<Writer, "onInserted" | "refused">,
  clock: Clock,
): void {
  metrics.counter({
    name: "blockchain/bad/block/counter",
    help: "Blocks that were refused since the start.",
    read: () => writer.refused,
  });
  const seconds = metrics.histograms({
    name: "knit_block_insert_seconds",
    help: "Steps of blocks that come from elsewhere: validate, execute, finalize, hash, write, and all of it.",
    labels: ["step"],
    buckets: SECONDS,
  });
  const timers = STEPS.map(
    ([step, name, help]) => [step, metrics.timer({ name, help }), seconds.of(step)] as const,
  );
  const execution = metrics.timer({
    name: "chain/execution",
    help: "As chain/process: reads of the trie are no part.",
  });
  const age = metrics.timer({ name: "chain/age", help: "From a block's time to its being here." });
  writer.onInserted((times, { header }) => {
    for (const [step, timer, histogram] of timers) {
      timer.observe(times[step]);
      histogram.observe(times[step] / 1000);
    }
    execution.observe(times.execute);
    age.observe(Math.max(0, clock.now() - header.time * 1000));
  });
}

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
