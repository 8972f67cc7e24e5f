/** `istanbul_getSnapshot`: weights and reward addresses by stake and proposer policy, line 1. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { validatorSet } from "../../../node/governance/validators.ts";
import type { Vote } from "../../../node/governance/vote.ts";
import type { GovernanceMethodDeps } from "../../../node/presenters/parameters.ts";
import { istanbulMethods } from "../../../node/rpc/istanbul.ts";
import { askRow } from "../../support/ask-row.ts";
import { testParameters } from "../../support/headers.ts";

const [first, second, third, poor] = [1, 2, 3, 4].map((number) => fixedBytes(number, 20)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const STAKES: readonly (readonly [Uint8Array, bigint])[] = [
  [first, 5_000_000n],
  [second, 20_000_000n],
  [third, 1n],
];

interface Terms {
  readonly policy?: "weighted" | "round-robin";
  readonly useGini?: boolean;
  readonly evenly?: boolean;
  readonly stakes?: typeof STAKES;
  readonly mixHash?: Uint8Array;
  readonly votes?: readonly Vote[];
}

function snapshot({
  policy = "weighted",
  useGini = false,
  evenly = false,
  stakes = STAKES,
  mixHash,
  votes = [],
}: Terms): Promise<unknown> {
  const nodes = stakes.map(([node, amount]) => ({
    node,
    amount,
    reward: fixedBytes(0x50 + (node[19] ?? 0), 20),
    staking: node,
  }));
  const block = { header: { number: 7, mixHash }, hash: new Uint8Array(32) };
  const parts = {
    chain: {
      config: { istanbul: { policy: 2 } },
      head: () => block,
      header: () => block,
      rules: () => ({ ...BASE_RULES, drawsProposersEvenly: evenly, randao: mixHash !== undefined }),
    },
    governance: {
      validators: () => validatorSet([first, second, third, poor], [first, second, third], 4),
      parameters: () => ({ ...testParameters, policy, useGini }),
      staking: () => ({ nodes, pools: [] }),
      headerHistory: { allVotes: () => votes.map((value, i) => ({ number: i, value })) },
      klaytnSelection: () => ({ list: [second, first], since: 5 }),
    },
    ...rpcProfiles.klaytn.options,
  } as unknown as GovernanceMethodDeps; // what is read
  return askRow(istanbulMethods(parts), "istanbul_getSnapshot", "0x7");
}

test.each<[string, Terms, readonly number[]]>([
  ["are shares in percent, at least one", {}, [20, 80, 1]],
  ["are evened out where the coefficient counts", { useGini: true }, [29, 71, 1]],
  ["are nothing where nobody staked", { stakes: [] }, [0, 0, 0]],
  ["are nothing since Kore", { evenly: true }, [0, 0, 0]],
])("weights %s", async (_what, terms, weight) => {
  expect(await snapshot(terms)).toMatchObject({
    weight,
    votingPower: [1000, 1000, 1000],
    proposers: [toHex(second), toHex(first)],
    proposersBlockNum: 5,
    demotedValidators: [toHex(poor)],
  });
});

test("reward addresses are those of the staking information", async () => {
  expect(await snapshot({ stakes: STAKES.slice(0, 2) })).toMatchObject({
    rewardAddrs: [fixedBytes(0x51, 20), fixedBytes(0x52, 20), new Uint8Array(20)].map(toHex),
  });
});

test("other policies have no weights", async () => {
  expect(await snapshot({ policy: "round-robin" })).toMatchObject({
    validators: [first, second, third].map(toHex),
    rewardAddrs: null,
    votingPower: null,
    weight: null,
    proposers: null,
    proposersBlockNum: 0,
    demotedValidators: null,
  });
});

test("since Randao the seed of the next committee is a member, in base 64", async () => {
  expect(await snapshot({})).not.toHaveProperty("mixHash");
  expect(await snapshot({ mixHash: new Uint8Array(32).fill(7) })).toMatchObject({
    mixHash: "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
  });
});

function epochVote(voter: Uint8Array, value: bigint): Vote {
  return { kind: "parameter", voter, name: "istanbul.epoch", value };
}

test("votes of the epoch are summed by value, the last one of a voter for a parameter alone", async () => {
  const votes: readonly Vote[] = [
    epochVote(first, 30n),
    epochVote(second, 50n),
    { kind: "validators", voter: first, adds: true, addresses: [poor] },
    epochVote(first, 50n),
  ];
  expect(await snapshot({ votes })).toMatchObject({
    votes: [
      { validator: toHex(second), key: "istanbul.epoch", value: 50 },
      { validator: toHex(first), key: "governance.addvalidator", value: toHex(poor) },
      { validator: toHex(first), key: "istanbul.epoch", value: 50 },
    ],
    tally: [
      { key: "istanbul.epoch", value: 50, votes: 2000 },
      { key: "governance.addvalidator", value: toHex(poor), votes: 1000 },
    ],
  });
});
