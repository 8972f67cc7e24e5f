/** Metrics of the blocks that a node builds, under the Go node's names (`work/worker.go@v2.2.2`). */
import type { Metrics } from "../observe/metrics.ts";
import type { FillTally } from "./proposal.ts";

/** Figures of one built block. */
export interface DraftFigures {
  /** Milliseconds until the transactions were executed, then until roots and seal were computed. */
  readonly fillMs: number;
  readonly completeMs: number;
  readonly tally: FillTally;
  readonly transactions: number;
  /** Base fee in peb. */
  readonly baseFee: bigint;
  /** Balance of the node's own address before the block, in peb. */
  readonly balance: bigint;
}

/** Receives the figures of each block. */
export type OnDraft = (figures: DraftFigures) => void;

const KLAY = 10n ** 18n;
/** Unit of the base fee metric, in peb. */
const GKEI = 10n ** 9n;

const GAUGES = [
  ["tcount", "Transactions of the last block built by this node.", (of) => of.transactions],
  ["checkedtxs", "Transactions tried for the last block built by this node.", ({ tally }) => tally.tried],
  [
    "nonce/low/txs",
    "Transactions with too low a nonce among those tried for the last block.",
    ({ tally }) => tally.nonceTooLow,
  ],
  [
    "nonce/high/txs",
    "Transactions with too high a nonce among those tried for the last block.",
    ({ tally }) => tally.nonceTooHigh,
  ],
  [
    "balance",
    "Balance of the node's address before the last block built by this node, in KLAY.",
    ({ balance }) => Number(balance / KLAY),
  ],
  [
    "block/mining/basefee",
    "Base fee of the last block built by this node, in Gkei.",
    ({ baseFee }) => Number(baseFee / GKEI),
  ],
] as const satisfies readonly Row<number>[];

const COUNTERS = [
  [
    "usedalltxs",
    "Blocks that tried all pending transactions.",
    ({ tally }) => tally.tried > 0 && !tally.isTimeOver,
  ],
  [
    "timelimitreached",
    "Blocks that reached the time limit of transactions.",
    ({ tally }) => tally.isTimeOver,
  ],
  ["toolongtx", "Blocks whose first transaction reached the time limit.", isFirstTooLong],
] as const satisfies readonly Row<boolean>[];

const TIMERS = [
  ["mining", "Time of building a block.", ({ fillMs, completeMs }) => fillMs + completeMs],
  ["commit", "Time of executing the transactions of a built block.", ({ fillMs }) => fillMs],
  ["execute", "Same as miner/block/commit; reads of the trie are not excluded.", ({ fillMs }) => fillMs],
  ["finalize", "Time of paying rewards and computing roots and seal.", ({ completeMs }) => completeMs],
] as const satisfies readonly Row<number>[];

function isFirstTooLong({ tally, transactions }: DraftFigures): boolean {
  return tally.isTimeOver && transactions === 1;
}

type Row<T> = readonly [name: string, help: string, of: (figures: DraftFigures) => T];

/**
 * Declares the metrics and returns their observer, which takes the figures of every block built, agreed on or
 * not.
 */
export function declareDraftMetrics(metrics: Metrics): OnDraft {
  const gauges = GAUGES.map(
    ([name, help, of]) => [metrics.gauge({ name: `miner/${name}`, help }), of] as const,
  );
  const counters = COUNTERS.map(
    ([name, help, of]) => [metrics.counter({ name: `miner/${name}`, help }), of] as const,
  );
  const dropped = metrics.counter({
    name: "miner/strangeerror/txs",
    help: "Transactions that can never run and were dropped.",
  });
  const timers = TIMERS.map(
    ([name, help, of]) => [metrics.timer({ name: `miner/block/${name}/time`, help }), of] as const,
  );
  return (figures) => {
    for (const [gauge, of] of gauges) gauge.set(of(figures));
    for (const [counter, of] of counters) counter.add(Number(of(figures)));
    for (const [timer, of] of timers) timer.observe(of(figures));
    dropped.add(figures.tally.dropped);
  };
}
