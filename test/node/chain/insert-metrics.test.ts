/** Tests of the metrics of inserted blocks. */
import { expect, test } from "@jest/globals";
import { declareInsertMetrics } from "../../../node/chain/metrics.ts";
import type { InsertTimes } from "../../../node/chain/stopwatch.ts";
import { type Block, decodeBlock } from "../../../node/model/block.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { aChain, recordedBlocks, recordedGenesis } from "../../support/chain.ts";

test("a block's steps go to the histogram and, in nanoseconds, to the Go node's timers", async () => {
  const metrics = createMetrics();
  const listeners: ((times: InsertTimes, block: Block) => void)[] = [];
  const writer = {
    refused: 3,
    onInserted: (listener: (typeof listeners)[0]) => void listeners.push(listener),
  };
  declareInsertMetrics(metrics, writer, { now: () => 12_500 });
  const block = { header: { time: 10 } } as Block; // the metrics look at nothing else
  listeners[0]?.({ validate: 1, execute: 20, finalize: 2, hash: 30, write: 4, all: 60 }, block);
  listeners[0]?.({ validate: 1, execute: 10, finalize: 2, hash: 30, write: 3, all: 40 }, block);
  const text = await metrics.render();
  for (const line of [
    "klaytn_blockchain_bad_block_counter 3",
    "klaytn_chain_process_maxgauge 20000000",
    "klaytn_chain_execution_maxgauge 20000000",
    "klaytn_chain_inserts_maxgauge 60000000",
    "klaytn_state_account_commits_maxgauge 4000000",
    "klaytn_chain_age_maxgauge 2500000000",
    'knit_block_insert_seconds_count{step="all"} 2',
    'knit_block_insert_seconds_bucket{step="all",le="0.05"} 1',
  ])
    expect(text).toContain(`${line}\n`);
  expect(await metrics.render()).toContain("klaytn_chain_process_maxgauge 0\n");
});

test("a writer tells the steps of each block that it takes in", async () => {
  await using open = await aChain(await recordedGenesis());
  const reported: [number: number, steps: string[], isWhole: boolean][] = [];
  open.writer.onInserted((times, { header }) => {
    const { all, ...steps } = times;
    const sum = Object.values(steps).reduce((whole, each) => whole + each, 0);
    reported.push([header.number, Object.keys(steps).toSorted(), sum > 0 && sum <= all]);
  });
  for (const raw of (await recordedBlocks()).slice(1, 3)) await open.writer.insert(decodeBlock(raw));
  const steps = ["execute", "finalize", "hash", "validate", "write"];
  expect(reported).toEqual([
    [1, steps, true],
    [2, steps, true],
  ]);
});
