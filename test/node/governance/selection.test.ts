import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { type Election, proposerOf } from "../../../node/governance/committee.ts";
import { Tally } from "../../support/tally.ts";
import { goRandomNumbers, validatorSelection } from "../../support/vectors-validators.ts";

const recorded = (name: string) =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../vectors/governance/${name}.json`, import.meta.url)), "utf8"),
  );

test("Go's random numbers come out for every recorded seed", () => {
  const { passed, failures } = goRandomNumbers(recorded("go-math-rand"));
  expect(failures).toEqual([]);
  expect(passed).toBe(5);
});

test("orders, shuffles, committees, proposer lists and quorums are the recorded ones", () => {
  const tally = new Tally();
  validatorSelection(tally, recorded("validator-selection").validatorSelection);
  expect(tally.comparison.failures).toEqual([]);
  expect(tally.comparison.passed).toBeGreaterThan(60);
});

const validators = [1, 2, 3, 4].map((number) => fixedBytes(number, 20));
const election: Election = {
  number: 7,
  policy: "round-robin",
  qualified: validators,
  committeeSize: 4,
  parentHash: new Uint8Array(32),
  parentMix: undefined,
  parentAuthor: validators[1],
};

function proposer(change: Partial<Election>, round: number): number | undefined {
  return proposerOf({ ...election, ...change }, round)[19];
}

test("proposers go in turn, stay, or come from the list, by policy and round", () => {
  expect([0, 1, 2].map((round) => proposer({}, round))).toEqual([3, 4, 1]);
  expect([0, 1].map((round) => proposer({ policy: "sticky" }, round))).toEqual([2, 3]);
  const list = [3, 3, 1].map((number) => fixedBytes(number, 20));
  const proposers = () => ({ list, since: 5 });
  expect([0, 1, 2].map((round) => proposer({ policy: "weighted", proposers }, round))).toEqual([3, 1, 3]);
});

test("after an author who is no validator any more the turn begins anew", () => {
  expect(proposerOf({ ...election, parentAuthor: fixedBytes(9, 20) }, 0)).toEqual(validators[1]);
  expect(proposerOf({ ...election, parentAuthor: undefined }, 0)).toEqual(validators[1]);
});

test("with randomness the committee is the turn of proposers", () => {
  const mixed: Election = { ...election, policy: "weighted", parentMix: new Uint8Array(32).fill(7) };
  const turn = [0, 1, 2, 3].map((round) => proposerOf(mixed, round));
  expect(turn).toEqual(validators);
  expect(() => proposerOf({ ...mixed, qualified: [] }, 0)).toThrow(RangeError);
});
