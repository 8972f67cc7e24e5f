/** Tests of the metrics of built blocks. */
import { expect, test } from "@jest/globals";
import { type DraftFigures, declareDraftMetrics } from "../../../node/consensus/draft-metrics.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";

const KLAY = 10n ** 18n;

/** Figures of a block that took three of five transactions. */
function figures(fields: Partial<DraftFigures> = {}): DraftFigures {
  const tally = { tried: 5, nonceTooLow: 1, nonceTooHigh: 0, dropped: 1, isTimeOver: false };
  const times = { fillMs: 30, completeMs: 12 };
  return { ...times, tally, transactions: 3, baseFee: 25_700_000_000n, balance: 7n * KLAY + 5n, ...fields };
}

test("figures of the last block are gauges, events are counters, times are in nanoseconds", async () => {
  const metrics = createMetrics();
  const onDraft = declareDraftMetrics(metrics);
  onDraft(figures());
  const { tally } = figures();
  onDraft(figures({ transactions: 1, tally: { ...tally, isTimeOver: true, nonceTooHigh: 2 } }));
  onDraft(figures({ transactions: 0, tally: { ...tally, tried: 0, dropped: 0 } }));
  onDraft(figures({ tally: { ...tally, tried: 4 } }));
  const text = await metrics.render();
  for (const line of [
    "tcount 3",
    "checkedtxs 4",
    "nonce_low_txs 1",
    "nonce_high_txs 0",
    "balance 7",
    "block_mining_basefee 25",
    "usedalltxs 2",
    "timelimitreached 1",
    "toolongtx 1",
    "strangeerror_txs 3",
    "block_mining_time_maxgauge 42000000",
    "block_commit_time_maxgauge 30000000",
    "block_execute_time_maxgauge 30000000",
    "block_finalize_time_maxgauge 12000000",
  ])
    expect(text).toContain(`klaytn_miner_${line}\n`);
});
