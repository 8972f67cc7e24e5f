/** Tests of the arrival times of consensus messages. */
import { expect, test } from "@jest/globals";
import { declareArrivalMetrics } from "../../../../node/consensus/bft/arrival-metrics.ts";
import { createMetrics } from "../../../../node/observe/metrics.ts";
import { aBlock, aProposal, aVote, Table, validatorSetOf } from "../../../support/bft/table.ts";

test("arrival times of a proposal and its commits are reported after the height, from the time its block was due", async () => {
  const metrics = createMetrics();
  let now = 5_000;
  const watch = declareArrivalMetrics(metrics, { now: () => now, due: () => 6_000 });
  const table = new Table("v1", 4);
  const at = (ms: number, happen: () => void): void => {
    now = ms;
    happen();
    watch(table.state);
  };
  at(5_000, () => undefined); // the block before is in the chain
  at(6_020, () => table.hear(aProposal("v0", aBlock("b"))));
  at(6_030, () => table.approve("b"));
  at(6_040, () => table.hear(aVote("v0", "prepare"), aVote("v2", "prepare"))); // and our own commit
  at(6_070, () => table.hear(aVote("v2", "commit")));
  at(6_100, () => table.hear(aVote("v3", "commit")));
  const head = { number: 1, hash: "b" };
  at(6_200, () => table.take({ type: "head", head, validators: validatorSetOf(4) }));
  const reported = [...(await metrics.render()).matchAll(/^klaytn_vrank_(\w+) (\d+)$/gm)];
  expect(reported.map(([, name, ns]) => [name, Number(ns) / 1e6])).toEqual([
    ["preprepare_first", 20],
    ["commit_first", 40],
    ["commit_quorumreached", 100],
    ["commit_quorumaverage", 70],
    ["commit_last", 100],
  ]);
});
