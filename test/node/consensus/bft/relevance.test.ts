/** Tests of the messages that are read at all. */
import { expect, test } from "@jest/globals";
import { isRelevant } from "../../../../node/consensus/bft/round-machine.ts";
import { aBlock, aProposal, aVote, Table } from "../../../support/bft/table.ts";

const block = aBlock("b");

/** v1 of four, which has the block of v0 and has found it good. */
function preprepare(): Table {
  const table = new Table("v1", 4);
  table.hear(aProposal("v0", block));
  table.approve("b");
  return table;
}

/** The same when two others have prepared it, too. */
function prepare(): Table {
  const table = preprepare();
  table.hear(aVote("v0", "prepare"), aVote("v2", "prepare"));
  return table;
}

test("messages of other addresses and of past heights are irrelevant", () => {
  const { state } = preprepare();
  expect(isRelevant(state, aVote("v9", "prepare"))).toBe(false);
  expect(isRelevant(state, aVote("v3", "commit", { sequence: 0 }))).toBe(false);
  expect(isRelevant(state, aVote("v3", "commit", { sequence: 2 }))).toBe(true);
});

test("prepares are relevant up to a quorum, then commits up to a quorum", () => {
  expect(isRelevant(preprepare().state, aVote("v3", "prepare"))).toBe(true);
  const table = prepare();
  expect(isRelevant(table.state, aVote("v3", "prepare"))).toBe(false);
  expect(isRelevant(table.state, aVote("v3", "commit"))).toBe(true);
  table.hear(aVote("v0", "commit"), aVote("v2", "commit"));
  expect(isRelevant(table.state, aVote("v3", "commit"))).toBe(false);
});

test("votes for another block or round, round changes and proposals are always relevant", () => {
  const { state } = prepare();
  expect(isRelevant(state, aVote("v3", "prepare", { digest: "c" }))).toBe(true);
  expect(isRelevant(state, aVote("v3", "prepare", { round: 1 }))).toBe(true);
  expect(isRelevant(state, aVote("v3", "round-change", { round: 1 }))).toBe(true);
  expect(isRelevant(state, aProposal("v0", block))).toBe(true);
});

test("votes of the awaited round are relevant", () => {
  const table = prepare();
  table.take({ type: "timeout", view: table.state.view });
  expect(isRelevant(table.state, aVote("v3", "prepare", { round: 1 }))).toBe(true);
});
