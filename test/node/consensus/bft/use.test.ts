/** Which letters are read at all. */
import { expect, test } from "@jest/globals";
import { isOfUse } from "../../../../node/consensus/bft/use.ts";
import { aBlock, aProposal, aVote, Table } from "../../../support/bft/table.ts";

const block = aBlock("b");

/** v1 of four, which has the block of v0 and has found it good. */
function preprepared(): Table {
  const table = new Table("v1", 4);
  table.hear(aProposal("v0", block));
  table.approve("b");
  return table;
}

/** The same when two others have prepared it, too. */
function prepared(): Table {
  const table = preprepared();
  table.hear(aVote("v0", "prepare"), aVote("v2", "prepare"));
  return table;
}

test("strangers and heights that are over are not read", () => {
  const { state } = preprepared();
  expect(isOfUse(state, aVote("v9", "prepare"))).toBe(false);
  expect(isOfUse(state, aVote("v3", "commit", { sequence: 0 }))).toBe(false);
  expect(isOfUse(state, aVote("v3", "commit", { sequence: 2 }))).toBe(true);
});

test("prepares are read until enough have come, then commits until enough have", () => {
  expect(isOfUse(preprepared().state, aVote("v3", "prepare"))).toBe(true);
  const table = prepared();
  expect(isOfUse(table.state, aVote("v3", "prepare"))).toBe(false);
  expect(isOfUse(table.state, aVote("v3", "commit"))).toBe(true);
  table.hear(aVote("v0", "commit"), aVote("v2", "commit"));
  expect(isOfUse(table.state, aVote("v3", "commit"))).toBe(false);
});

test("votes for another block or round, round changes and proposals are read at any time", () => {
  const { state } = prepared();
  expect(isOfUse(state, aVote("v3", "prepare", { digest: "c" }))).toBe(true);
  expect(isOfUse(state, aVote("v3", "prepare", { round: 1 }))).toBe(true);
  expect(isOfUse(state, aVote("v3", "round-change", { round: 1 }))).toBe(true);
  expect(isOfUse(state, aProposal("v0", block))).toBe(true);
});

test("who waits for another round reads what is said in it", () => {
  const table = prepared();
  table.take({ type: "timeout", view: table.state.view });
  expect(isOfUse(table.state, aVote("v3", "prepare", { round: 1 }))).toBe(true);
});
