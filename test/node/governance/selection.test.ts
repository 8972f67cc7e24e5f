/** Tests of the selection of proposers and committees. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import {
  committeeOf,
  type Election,
  klaytnCommitteeOf,
  proposerOf,
} from "../../../node/governance/committee.ts";
import { fisherYatesShuffle, mixSeed } from "../../../node/governance/shuffle.ts";
import { Tally } from "../../support/tally.ts";
import { goRandomNumbers, validatorSelection } from "../../support/vectors-validators.ts";

const recording = (name: string) =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../vectors/governance/${name}.json`, import.meta.url)), "utf8"),
  );

test("Go's random numbers come out for every recorded seed", () => {
  const { passed, failures } = goRandomNumbers(recording("go-math-rand"));
  expect(failures).toEqual([]);
  expect(passed).toBe(5);
});

test("orders, shuffles, committees, proposer lists and quorums equal the recorded ones", () => {
  const tally = new Tally();
  validatorSelection(tally, recording("validator-selection").validatorSelection);
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
  seedRounds: true,
  parentAuthor: validators[1],
};

function proposer(change: Partial<Election>, round: number): number | undefined {
  return proposerOf({ ...election, ...change }, round)[19];
}

test("proposers go in turn, stay, or come from the list, by policy and round", () => {
  expect([0, 1, 2].map((round) => proposer({}, round))).toEqual([3, 4, 1]);
  expect([0, 1].map((round) => proposer({ policy: "sticky" }, round))).toEqual([2, 3]);
  const list = [3, 3, 1].map((number) => fixedBytes(number, 20));
  const proposers = () => ({ list, since: 5, interval: 3600 });
  expect([0, 1, 2].map((round) => proposer({ policy: "weighted", proposers }, round))).toEqual([3, 1, 3]);
});

test("after an author outside the council the order starts over", () => {
  expect(proposerOf({ ...election, parentAuthor: fixedBytes(9, 20) }, 0)).toEqual(validators[1]);
  expect(proposerOf({ ...election, parentAuthor: undefined }, 0)).toEqual(validators[1]);
});

const mixed: Election = { ...election, policy: "weighted", parentMix: new Uint8Array(32).fill(7) };
const numbersOf = (list: readonly Uint8Array[]): readonly (number | undefined)[] =>
  list.map((each) => each[19]);
const turnOf = (one: Election, rounds: number): readonly (number | undefined)[] =>
  numbersOf(Array.from({ length: rounds }, (_, round) => proposerOf(one, round)));
/** The validators shuffled with the parent's mix hash, by the shuffle that recorded vectors judge. */
const shuffled = numbersOf(fisherYatesShuffle(validators, mixSeed(new Uint8Array(32).fill(7))));

test.each([3, 4, 5])(
  "with randomness the proposer comes from the shuffled validators, also when all of 4 fit into a committee of %i",
  (committeeSize) => {
    expect(shuffled).not.toEqual([1, 2, 3, 4]);
    const turn = shuffled.slice(0, committeeSize);
    expect(turnOf({ ...mixed, committeeSize }, turn.length + 1)).toEqual([...turn, turn[0]]);
  },
);

test("a committee contains all validators in order when they fit, under every policy", () => {
  const list = [3, 3, 1].map((number) => fixedBytes(number, 20));
  const elections: Partial<Election>[] = [
    { policy: "round-robin" },
    { policy: "sticky" },
    { policy: "weighted", proposers: () => ({ list, since: 5, interval: 3600 }) },
    { policy: "weighted", parentMix: new Uint8Array(32).fill(7) },
  ];
  for (const change of elections) {
    for (const committeeSize of [4, 5])
      expect(numbersOf(committeeOf({ ...election, ...change, committeeSize }, 1))).toEqual([1, 2, 3, 4]);
  }
});

test("a smaller committee begins with this proposer and the next other one, by policy", () => {
  const committeeSize = 3;
  const heads = (change: Partial<Election>): readonly (number | undefined)[] =>
    numbersOf(committeeOf({ ...election, ...change, committeeSize }, 0));
  expect(heads({}).slice(0, 2)).toEqual([3, 4]);
  expect(heads({ policy: "sticky" }).slice(0, 2)).toEqual([2, 3]);
  const list = [3, 3, 1].map((number) => fixedBytes(number, 20));
  expect(
    heads({ policy: "weighted", proposers: () => ({ list, since: 6, interval: 3600 }) }).slice(0, 2),
  ).toEqual([3, 1]);
  expect(heads({ policy: "weighted", parentMix: mixed.parentMix })).toEqual(shuffled.slice(0, 3));
});

test("a committee contains all validators when the list has no other proposer in its interval", () => {
  const list = [3, 3, 1].map((number) => fixedBytes(number, 20));
  const drawn = (interval: number): readonly (number | undefined)[] =>
    numbersOf(
      committeeOf(
        {
          ...election,
          policy: "weighted",
          committeeSize: 2,
          proposers: () => ({ list, since: 6, interval }),
        },
        0,
      ),
    );
  expect(drawn(1)).toEqual([1, 2, 3, 4]);
  expect(drawn(2)).toEqual([3, 1]);
});

test("an empty set has no proposer", () => {
  expect(() => proposerOf({ ...mixed, qualified: [] }, 0)).toThrow(RangeError);
});

describe("Klaytn's committees", () => {
  const list = validators;
  const weighted: Election = {
    ...election,
    policy: "weighted",
    committeeSize: 3,
    proposers: () => ({ list, since: 6, interval: 3600 }),
  };
  const ofRound = (round: number, change: Partial<Election> = {}): readonly Uint8Array[] =>
    klaytnCommitteeOf({ ...weighted, ...change }, round, proposerOf({ ...weighted, ...change }, round));

  test("are those of today in round 0", () => {
    expect(ofRound(0)).toEqual(committeeOf(weighted, 0));
    expect(ofRound(0, { committeeSize: 1 })).toEqual(committeeOf({ ...weighted, committeeSize: 1 }, 0));
    expect(ofRound(0, { parentMix: mixed.parentMix })).toEqual(
      committeeOf({ ...weighted, parentMix: mixed.parentMix }, 0),
    );
  });

  test("of later rounds are drawn with the round as a part of the seed, since Istanbul", () => {
    const many = Array.from({ length: 9 }, (_, i) => fixedBytes(i + 1, 20));
    const wide = {
      qualified: many,
      committeeSize: 6,
      proposers: () => ({ list: many, since: 6, interval: 9 }),
    };
    const parentHash = new Uint8Array(32);
    parentHash[7] = 0x10; // the 15th digit of the seed
    expect(ofRound(1, { ...wide, seedRounds: true })).toEqual(
      committeeOf({ ...weighted, ...wide, parentHash }, 1),
    );
    expect(ofRound(1, { ...wide, seedRounds: false })).toEqual(committeeOf({ ...weighted, ...wide }, 1));
    expect(ofRound(1, { ...wide, seedRounds: true })).not.toEqual(ofRound(1, { ...wide, seedRounds: false }));
  });

  test("are the whole set where the policy names the proposer again, or for a proposer outside the set", () => {
    expect(ofRound(0, { policy: "sticky" })).toEqual(validators);
    expect(klaytnCommitteeOf(weighted, 0, fixedBytes(9, 20))).toEqual(validators);
    expect(ofRound(0, { policy: "round-robin" }).map((each) => each[19])).toHaveLength(3);
  });
});
