/** Tests of the proposers under the weighted policy: by stakes, by the list of proposers, by randomness. */
import { describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { parseChainConfig } from "../../../node/config/chain-config.ts";
import { rulesAt } from "../../../node/config/rules.ts";
import { type Governance, openGovernance } from "../../../node/governance/governance.ts";
import { fisherYatesShuffle, legacySeed, legacyShuffle, mixSeed } from "../../../node/governance/shuffle.ts";
import { sortedValidators } from "../../../node/governance/validators.ts";
import type { Header } from "../../../node/model/header.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { anAddressBook, aReader } from "../../support/contracts.ts";
import { aGenesisBlock, aHeader, aValidator } from "../../support/headers.ts";

const address = (number: number): Uint8Array => fixedBytes(number, 20);
const council = sortedValidators([1, 2, 3, 4].map(address));
const names = (list: readonly Uint8Array[]): readonly number[] => list.map((each) => each[19] ?? 0);
const COIN = 10n ** 18n;
const INTERVAL = 5;
/** Of every block: elections of other rounds are computed, this one's is known. */
const MADE_IN_ROUND = 9;

interface Terms {
  /** Whole coins by validator. */
  readonly stakes: Readonly<Record<number, bigint>>;
  readonly forks?: readonly string[];
  readonly governance?: object;
  /** Votes by block. */
  readonly votes?: Readonly<Record<number, readonly [name: string, addresses: readonly number[]]>>;
}

/** Governance after 20 empty blocks. */
function aGovernance({ stakes, forks = [], governance = {}, votes = {} }: Terms): Governance {
  const config = parseChainConfig({
    chainId: 1,
    ...Object.fromEntries(forks.map((name) => [`${name}CompatibleBlock`, 0])),
    istanbul: { epoch: 1_000, policy: 2, sub: 2 },
    governance: {
      governanceMode: "none",
      reward: {
        mintingAmount: 0,
        minimumStake: 5,
        ratio: "100/0/0",
        stakingUpdateInterval: 3,
        proposerUpdateInterval: INTERVAL,
      },
      ...governance,
    },
  });
  const genesis = aGenesisBlock([aValidator(1)]);
  const extra = concatBytes(
    new Uint8Array(32).fill(MADE_IN_ROUND, 31),
    encodeRlp([council, new Uint8Array(0), []]),
  );
  const header = (number: number): Header => {
    const [name, addresses] = votes[number] ?? [];
    const value = concatBytes(...(addresses ?? []).map(address));
    const vote = name === undefined ? new Uint8Array(0) : encodeRlp([address(1), Buffer.from(name), value]);
    const mixHash = rulesAt(config, number).randao ? hashOf(number + 500) : undefined;
    return { ...aHeader(genesis, []), number, extra, vote, mixHash };
  };
  const entries = Object.keys(stakes).flatMap((key): [number, Uint8Array][] => [
    [0, address(Number(key))],
    [1, address(Number(key) + 10)],
    [2, address(Number(key) + 20)],
  ]);
  const reader = aReader([anAddressBook([...entries, [3, address(90)], [4, address(91)]])], {
    balances: Object.entries(stakes).map(([key, coins]) => [address(Number(key) + 10), coins * COIN]),
  });
  const store = createMemoryStore();
  let tip = 0;
  const opened = openGovernance({
    config,
    rows: store,
    tip: () => tip,
    block: (number) =>
      number > tip
        ? undefined
        : { header: header(number), hash: hashOf(number), author: () => council[number % council.length] },
    contracts: () => reader,
  });
  for (let number = 1; number <= 20; number++) {
    opened.accept(header(number), store.createBatch());
    tip = number;
  }
  return opened;
}

function hashOf(number: number): Uint8Array {
  return new Uint8Array(32).fill(number + 1);
}

describe("validators with too little stake", () => {
  const stakes = { 1: 5n, 2: 4n, 3: 9n };
  const qualified = (terms: Partial<Terms>, number = 9) =>
    names(aGovernance({ stakes, forks: ["istanbul"], ...terms }).validators(number).qualified);

  test("are left out", () => {
    expect(qualified({})).toEqual(names(council.filter((each) => [1, 3].includes(each[19] ?? 0))));
  });

  test("stay when nobody has enough, before Istanbul, and in block 0", () => {
    expect(qualified({ stakes: { 1: 4n } })).toEqual(names(council));
    expect(qualified({ forks: [] })).toEqual(names(council));
    expect(qualified({}, 0)).toEqual(names(council));
  });

  test("stay when they govern alone", () => {
    const governance = { governanceMode: "single", governingNode: toHex(address(4)) };
    expect(qualified({ governance })).toContain(4);
    expect(qualified({ governance: { ...governance, governanceMode: "none" } })).not.toContain(4);
  });

  test("are those below a minimum modulo 2^64, as the Go node reads it", () => {
    const reward = {
      mintingAmount: 0,
      minimumStake: 2n ** 64n + 5n,
      ratio: "100/0/0",
      stakingUpdateInterval: 3,
      proposerUpdateInterval: INTERVAL,
    };
    expect(qualified({ governance: { reward } })).toEqual(qualified({}));
  });

  test("may still commit blocks", () => {
    const set = aGovernance({ stakes, forks: ["istanbul"] }).validators(9);
    expect(set.inCouncil(address(2))).toBe(true);
    expect(set.isQualified(address(2))).toBe(false);
    expect(set.twiceFaulty).toBe(0);
  });
});

describe("proposers", () => {
  const stakes = { 1: 10n, 2: 20n, 3: 30n, 4: 40n };

  test("are drawn by stake for an interval, before Kore", () => {
    const governance = aGovernance({ stakes, forks: ["istanbul"] });
    const weighted = council.flatMap((each) => Array.from({ length: (each[19] ?? 0) * 10 }, () => each));
    const list = legacyShuffle(weighted, legacySeed(hashOf(10)));
    const expected = [11, 12, 13, 14, 15].map((number) => list[number - 11]);
    expect([11, 12, 13, 14, 15].map((number) => governance.proposer(number, 0))).toEqual(expected);
    expect(governance.proposer(11, 2)).toEqual(list[2]);
  });

  test("stand once in the list since Kore, and leave it when they are voted out", () => {
    const forks = ["istanbul", "magma", "kore"];
    const drawn = legacyShuffle(council, legacySeed(hashOf(10)));
    const governance = aGovernance({ stakes, forks });
    expect([11, 14, 15].map((number) => governance.proposer(number, 0))).toEqual([
      drawn[0],
      drawn[3],
      drawn[0],
    ]);
    const [out] = drawn as [Uint8Array];
    const without = aGovernance({
      stakes,
      forks,
      votes: { 12: ["governance.removevalidator", [out[19] ?? 0]] },
    });
    const left = drawn.slice(1);
    expect(without.proposer(12, 0)).toEqual(drawn[1]);
    expect([13, 14, 15].map((number) => without.proposer(number, 0))).toEqual([left[2], left[0], left[1]]);
    expect(without.council(13)).toHaveLength(3);
  });

  test("stay in the list after a vote that leaves the council as it is", () => {
    const forks = ["istanbul", "magma", "kore"];
    const drawn = legacyShuffle(council, legacySeed(hashOf(10)));
    const [governing] = drawn as [Uint8Array];
    const governance = aGovernance({
      stakes,
      forks,
      governance: { governingNode: toHex(governing) },
      votes: { 12: ["governance.removevalidator", [governing[19] ?? 0]] },
    });
    expect([13, 14, 15].map((number) => governance.proposer(number, 0))).toEqual([
      drawn[2],
      drawn[3],
      drawn[0],
    ]);
  });

  test("of the round of an existing block are its author", () => {
    const governance = aGovernance({ stakes, forks: ["istanbul"] });
    expect(governance.proposer(12, MADE_IN_ROUND)).toEqual(council[0]);
    expect(governance.proposer(13, MADE_IN_ROUND)).toEqual(council[1]);
  });

  test("and committees go by the parent's mix with randomness", () => {
    const forks = ["istanbul", "magma", "kore", "shanghai", "cancun", "randao", "kaia"];
    const governance = aGovernance({ stakes, forks });
    const committee = fisherYatesShuffle(council, mixSeed(hashOf(512))).slice(0, 2);
    expect([0, 1].map((round) => governance.committee(13, round))).toEqual([committee, committee]);
    expect([0, 1, 2].map((round) => governance.proposer(13, round))).toEqual([
      committee[0],
      committee[1],
      committee[0],
    ]);
  });
});
