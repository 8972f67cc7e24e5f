/** Metrics of the chain. */

import type { Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Chain } from "./chain.ts";
import type { Writer } from "./writer.ts";

/** Seconds of a step of a block. */
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const STEPS = [
  ["validate", "chain/validate", "Time of validating a block."],
  ["execute", "chain/process", "Time of executing a block's transactions."],
  ["finalize", "chain/finalize", "Time of paying rewards."],
  ["hash", "state/account/hashes", "Time of hashing a block's state, storage included."],
  ["write", "state/account/commits", "Time of writing a block's rows, those of the state included."],
  ["all", "chain/inserts", "Time of validating, executing and writing a block."],
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
    help: "Duration of the steps of an import: validate, execute, finalize, hash, write, and total.",
    labels: ["step"],
    buckets: SECONDS,
  });
  const timers = STEPS.map(
    ([step, name, help]) => [step, metrics.timer({ name, help }), seconds.of(step)] as const,
  );
  const execution = metrics.timer({
    name: "chain/execution",
    help: "Same as chain/process; reads of the trie are not excluded.",
  });
  const age = metrics.timer({ name: "chain/age", help: "Time from a block's timestamp to its import." });
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
    help: "Age of the newest block by its timestamp.",
    read: () => clock.now() / 1000 - chain.head().header.time,
  });
  metrics.gauge({
    name: "knit_history_oldest_block",
    help: "First block after block 0 whose body and receipts are stored.",
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
