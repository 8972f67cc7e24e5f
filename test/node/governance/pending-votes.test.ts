/** The queue of this node's own votes: what it takes, what it hands to the next block, what leaves it. */
import { describe, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import type { VoteDeps } from "../../../node/governance/header-fields.ts";
import { createPendingVotes, type PendingVotes } from "../../../node/governance/pending-votes.ts";
import { sortedValidators, validatorSet } from "../../../node/governance/validators.ts";
import { decodeVote, encodeVote } from "../../../node/governance/vote.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { testParameters } from "../../support/headers.ts";

const [own, other, stranger] = [1, 2, 9].map((number) => fixedBytes(number, 20)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const council = sortedValidators([own, other]);

/** An empty queue whose surroundings the test may change. */
function aQueue(change: Partial<VoteDeps> = {}): {
  readonly ballots: PendingVotes;
  become(change: Partial<VoteDeps>): void;
} {
  let context: VoteDeps = {
    validators: validatorSet(council, council, 4),
    formerCouncil: council,
    decided: { ...testParameters, governanceMode: "none" },
    account: () => undefined,
    ...change,
  };
  const governance = { voteDeps: () => context };
  return {
    ballots: createPendingVotes({ governance, tip: () => 7, address: own, log: silentLog }),
    become: (next) => {
      context = { ...context, ...next };
    },
  };
}

describe("a vote in JSON becomes the vote field of a header", () => {
  test.each<[string, unknown, unknown]>([
    ["governance.unitprice", 25_000_000_000, 25_000_000_000n],
    ["kip71.gastarget", 0, 0n],
    ["reward.mintingamount", "9600000000000000000", "9600000000000000000"],
    ["reward.ratio", "34/54/12", "34/54/12"],
    ["governance.governingnode", toHex(stranger).toUpperCase().replace("0X", ""), toHex(stranger)],
  ])("%s %j", (name, json, value) => {
    const { ballots } = aQueue();
    ballots.add(name, json);
    expect(decodeVote(ballots.nextVoteField())).toEqual({ kind: "parameter", voter: own, name, value });
  });

  test("that changes no council: addresses with a comma between them", () => {
    const { ballots } = aQueue();
    ballots.add("governance.addvalidator", `${toHex(other)},${toHex(own)}`);
    expect(decodeVote(ballots.nextVoteField())).toEqual({
      kind: "validators",
      voter: own,
      adds: true,
      addresses: [other, own],
    });
  });
});

describe("a vote is rejected", () => {
  test.each<[string, string, unknown, string, Partial<VoteDeps>?]>([
    ["for no parameter", "governance.price", 1, "bad-ballot"],
    ["for what nobody may vote", "istanbul.epoch", 1, "bad-ballot"],
    ["for a number as text", "governance.unitprice", "1", "bad-ballot"],
    ["for half a number", "governance.unitprice", 0.5, "bad-ballot"],
    ["for a number below zero", "governance.unitprice", -1, "bad-ballot"],
    ["for an object", "reward.ratio", { toString: "34/54/12" }, "bad-ballot"],
    ["for no validator", "governance.addvalidator", "", "bad-ballot"],
    [
      "for a validator and a blank",
      "governance.addvalidator",
      `${toHex(own)}, ${toHex(other)}`,
      "bad-ballot",
    ],
    ["for validators by the million", "governance.addvalidator", `${toHex(own)},`.repeat(1e5), "bad-ballot"],
    ["for a contract that is none", "governance.govparamcontract", toHex(own), "bad-vote"],
    [
      "of a node that does not govern",
      "governance.unitprice",
      1,
      "no-vote-right",
      { decided: { ...testParameters, governanceMode: "single", governingNode: other } },
    ],
  ])("%s", (_what, name, value, code, change = {}) => {
    const { ballots } = aQueue(change);
    expect(() => ballots.add(name, value)).toThrow(
      expect.objectContaining({ name: "GovernanceError", code }),
    );
    expect(ballots.list()).toEqual([]);
  });

  test("when 64 are pending", () => {
    const { ballots } = aQueue();
    for (let price = 0; price < 64; price++) ballots.add("governance.unitprice", price);
    expect(() => ballots.add("governance.unitprice", 64)).toThrow(
      expect.objectContaining({ code: "too-many" }),
    );
  });
});

test("the oldest vote is proposed until a block of any proposer contains it; equal votes are removed one by one", () => {
  const { ballots } = aQueue();
  for (const price of [5, 6, 5]) ballots.add("governance.unitprice", price);
  const prices = () => ballots.list().map((vote) => vote.kind === "parameter" && vote.value);
  const [five] = ballots.list();
  expect(ballots.nextVoteField()).toEqual(ballots.nextVoteField());
  ballots.removeCast({ vote: new Uint8Array(0) });
  expect(prices()).toEqual([5n, 6n, 5n]);
  if (five !== undefined) {
    ballots.removeCast({ vote: encodeVote({ ...five, voter: other }) });
    ballots.removeCast({ vote: encodeVote(five) });
  }
  expect(prices()).toEqual([6n, 5n]);
});

test("a vote that is no longer allowed is dropped, and the next one is proposed", () => {
  const { ballots, become } = aQueue();
  ballots.add("kip71.lowerboundbasefee", 1000);
  ballots.add("governance.unitprice", 5);
  become({
    decided: { ...testParameters, baseFee: { ...testParameters.baseFee, lowerBound: 0n, upperBound: 999n } },
  });
  expect(decodeVote(ballots.nextVoteField())).toMatchObject({ name: "governance.unitprice" });
  expect(ballots.list()).toHaveLength(1);
});

test("a node outside the council keeps its votes", () => {
  const { ballots } = aQueue({ validators: validatorSet([other], [other], 4) });
  ballots.add("governance.unitprice", 5);
  expect(ballots.nextVoteField()).toHaveLength(0);
  expect(ballots.list()).toHaveLength(1);
});
