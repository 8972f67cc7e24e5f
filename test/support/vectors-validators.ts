/** Go's random numbers, and everything that is drawn from validators with them: orders, lists, committees. */
import { toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { committeeOf, type Election } from "../../node/governance/committee.ts";
import { GoRandom } from "../../node/governance/go-random.ts";
import { GO_RANDOM_TABLE } from "../../node/governance/go-random-table.ts";
import { drawProposers } from "../../node/governance/proposers.ts";
import { fisherYatesShuffle, legacySeed, legacyShuffle, mixSeed } from "../../node/governance/shuffle.ts";
import { noStaking, type StakingInfo } from "../../node/governance/staking.ts";
import { quorum, sortedValidators } from "../../node/governance/validators.ts";
import { type Comparison, Tally } from "./tally.ts";

interface GoRandomFile {
  readonly selfChecks: Readonly<Record<string, readonly string[] | readonly number[]>>;
  readonly table: readonly string[];
}

interface ProposerCase {
  readonly amounts: readonly number[];
  readonly useGini: boolean;
  readonly frequency: readonly number[];
  readonly list?: readonly number[];
}

/** The section `validatorSelection` of the samples. */
export interface ValidatorSelection {
  readonly sortOrder: { readonly input: readonly string[]; readonly sorted: readonly string[] };
  readonly shuffle: Readonly<Record<"list" | "legacyShuffle" | "fisherYatesShuffle", readonly number[]>> & {
    readonly seed: string;
  };
  readonly hashToSeed: { readonly cases: readonly Readonly<Record<"hash" | "legacy" | "seed", string>>[] };
  readonly randomCommittee: Readonly<Record<string, number | string | readonly number[]>>;
  readonly randaoCommittee: Readonly<Record<string, string | readonly number[]>>;
  readonly weightedProposerList: { readonly blockHash: string; readonly cases: readonly ProposerCase[] };
  readonly uniformProposerList: Readonly<Record<"qualified" | "list", readonly number[]>> & {
    readonly blockHash: string;
  };
  readonly quorum: { readonly table: Readonly<Record<string, readonly [number, number]>> };
}

/** Judges the generator by its first numbers and its table. */
export function goRandomNumbers({ selfChecks, table }: GoRandomFile): Comparison {
  const tally = new Tally();
  tally.same(
    "table",
    GO_RANDOM_TABLE,
    table.map((word) => BigInt(word)),
  );
  const seeds = { seed1: 1n, seed0: 0n, seedMinus1: -1n };
  for (const [name, expected] of Object.entries(selfChecks)) {
    const [seed, draw] = name.split("_");
    const random = new GoRandom(seeds[seed as keyof typeof seeds]); // the file has no other seeds
    const found = expected.map(() => (draw === "Intn100" ? random.intn(100) : random.uint64().toString()));
    tally.same(name, found, expected);
  }
  return tally.comparison;
}

/** Judges the order of validators, shuffles, seeds, committees, lists of proposers and quorums. */
export function validatorSelection(tally: Tally, section: ValidatorSelection): void {
  const { sortOrder, shuffle, hashToSeed, uniformProposerList } = section;
  const sorted = sortedValidators(sortOrder.input.map((text) => validator(Number(text))));
  tally.same(
    "order",
    sorted.map(toHex),
    sortOrder.sorted.map((text) => toHex(validator(Number(text)))),
  );
  const seed = BigInt(shuffle.seed);
  tally.same("legacy shuffle", legacyShuffle(shuffle.list, seed), shuffle.legacyShuffle);
  tally.same("shuffle", fisherYatesShuffle(shuffle.list, seed), shuffle.fisherYatesShuffle);
  for (const { hash, legacy, seed: mixed } of hashToSeed.cases) {
    tally.same(`legacy seed of ${hash}`, legacySeed(bytesOf(hash)), BigInt(legacy));
    tally.same(`seed of ${hash}`, mixSeed(bytesOf(hash)), BigInt(mixed));
  }
  committees(tally, section);
  for (const one of section.weightedProposerList.cases) {
    weightedList(tally, one, bytesOf(section.weightedProposerList.blockHash));
  }
  const uniform = drawProposers({
    qualified: uniformProposerList.qualified.map(validator),
    hash: bytesOf(uniformProposerList.blockHash),
  });
  tally.same("uniform list", uniform.map(numberOf), uniformProposerList.list);
  for (const [size, [required, faulty]] of Object.entries(section.quorum.table)) {
    tally.same(`quorum of ${size}`, quorum(Number(size)), { required, faulty });
  }
}

function committees(tally: Tally, { randomCommittee, randaoCommittee }: ValidatorSelection): void {
  const { proposer, nextDistinctProposer, prevHash } = randomCommittee;
  const list = [proposer, nextDistinctProposer].map((number) => validator(Number(number)));
  const drawn = (size: number, change: Partial<Election>): readonly number[] =>
    committeeOf({ ...election, committeeSize: size, ...change }, 0).map(numberOf);
  const election: Election = {
    number: 1,
    policy: "weighted",
    qualified: (randomCommittee["qualified"] as readonly number[]).map(validator),
    committeeSize: 1,
    parentHash: bytesOf(String(prevHash)),
    parentMix: undefined,
    seedRounds: true,
    parentAuthor: undefined,
    proposers: () => ({ list, since: 0, interval: 3600 }),
  };
  const mixed = { parentMix: bytesOf(String(randaoCommittee["mixHash"])) };
  for (const size of [2, 6]) {
    tally.same(`committee of ${size}`, drawn(size, {}), randomCommittee[`size${size}`]);
  }
  for (const size of [1, 6]) {
    tally.same(`mixed committee of ${size}`, drawn(size, mixed), randaoCommittee[`size${size}`]);
  }
}

function weightedList(tally: Tally, one: ProposerCase, hash: Uint8Array): void {
  const qualified = one.amounts.map((_, i) => validator(i));
  const nodes = one.amounts.map((amount, i) => ({
    node: validator(i),
    stakingContract: validator(100 + i),
    reward: validator(200 + i),
    amount: BigInt(amount),
  }));
  const staking: StakingInfo = { ...noStaking(0), nodes };
  const list = drawProposers({ qualified, hash, weights: { staking, useGini: one.useGini } }).map(numberOf);
  const what = `list of proposers ${one.amounts.join(" ")}`;
  if (one.list !== undefined) tally.same(what, list, one.list);
  const frequency = qualified.map((_, i) => list.filter((number) => number === i).length);
  tally.same(`${what}: frequency`, frequency, one.frequency);
}

function validator(number: number): Uint8Array {
  return fixedBytes(number, 20);
}

function numberOf(address: Uint8Array): number {
  return Number(toHex(address));
}

function bytesOf(hash: string): Uint8Array {
  return fixedBytes(BigInt(hash), 32);
}
