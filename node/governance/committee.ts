/**
 * Proposer and committee of a block in a round (`kaiax/valset/impl/getter_context.go@v2.2.2`). Pure:
 * everything they depend on is passed in.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { ProposerPolicy } from "./parameters.ts";
import { fisherYatesShuffle, legacySeed, legacyShuffle, mixSeed } from "./shuffle.ts";

/** Input of the selection of proposer and committee. */
export interface Election {
  readonly number: number;
  readonly policy: ProposerPolicy;
  /** Qualified validators in the validators' order; never empty. */
  readonly qualified: readonly Address[];
  readonly committeeSize: number;
  readonly parentHash: Hash;
  /** Mix hash of the parent, zeros without one; undefined before randomness. */
  readonly parentMix: Hash | undefined;
  /** Author of the parent; the first validator for block 1. */
  readonly parentAuthor: Address | undefined;
  /** The round is a part of the seed of Klaytn's committees. */
  readonly seedRounds: boolean;
  /** Proposer list of the weighted policy before randomness. */
  readonly proposers?: () => ProposerList;
}

/** Proposer list of an interval. */
export interface ProposerList {
  readonly list: readonly Address[];
  /** First block of the interval. */
  readonly since: number;
  /** Length of the interval in blocks. */
  readonly interval: number;
}

/** Returns the proposer of a round. Throws `RangeError` without validators. */
export function proposerOf(election: Election, round: number): Address {
  const { policy, qualified, parentMix, parentAuthor } = election;
  const last = qualified.findIndex((each) => parentAuthor !== undefined && equalBytes(each, parentAuthor));
  const index = Math.max(0, last);
  if (policy === "round-robin") return at(qualified, index + round + 1);
  if (policy === "sticky") return at(qualified, index + round);
  if (parentMix !== undefined) return at(mixedCommittee(election, parentMix), round);
  const { list, since } = election.proposers?.() ?? { list: qualified, since: election.number - 1 };
  return at(list, election.number + round - since - 1);
}

/** Returns the committee of a round: all qualified validators, in their order, when they fit into it. */
export function committeeOf(election: Election, round: number): readonly Address[] {
  const { policy, qualified, committeeSize, parentMix, parentHash } = election;
  if (qualified.length <= committeeSize) return qualified;
  if (policy === "weighted" && parentMix !== undefined) return mixedCommittee(election, parentMix);
  const proposer = proposerOf(election, round);
  if (committeeSize === 1) return [proposer];
  const second = nextProposer(election, round, proposer);
  if (second === undefined) return qualified;
  return drawnCommittee(election, [proposer, second], legacySeed(parentHash));
}

/** Proposers and committees of a block as Klaytn selects them. */
export interface KlaytnSelection {
  /** Proposers of the interval that begins at block `since`. */
  readonly list: readonly Address[];
  readonly since: number;
  /** Proposer of round 0. */
  readonly firstProposer: Address;
  readonly committee: (round: number) => readonly Address[];
}

/**
 * Returns the committee that Klaytn reports for a block of `proposer` (`consensus/istanbul/validator@v1.12.1`): the
 * round is a part of the seed since Istanbul, and all are members when the policy has no second proposer.
 */
export function klaytnCommitteeOf(election: Election, round: number, proposer: Address): readonly Address[] {
  const { policy, qualified, committeeSize, parentMix, parentHash, seedRounds } = election;
  const index = qualified.findIndex((each) => equalBytes(each, proposer));
  if (qualified.length <= committeeSize || index < 0) return qualified;
  if (committeeSize === 1) return [proposer];
  if (policy === "weighted" && parentMix !== undefined) return mixedCommittee(election, parentMix);
  const following = at(qualified, index + round + (policy === "sticky" ? 0 : 1));
  const second = policy === "weighted" ? nextProposer(election, round, proposer) : following;
  if (second === undefined || equalBytes(second, proposer)) return qualified;
  const seed = legacySeed(parentHash) + (seedRounds ? BigInt(round) : 0n);
  return drawnCommittee(election, [proposer, second], seed);
}

/** Returns a committee whose first two members are given and whose other members are drawn. */
function drawnCommittee(
  { qualified, committeeSize }: Election,
  [proposer, second]: readonly [Address, Address],
  seed: bigint,
): readonly Address[] {
  const rest = qualified.filter((each) => !equalBytes(each, proposer) && !equalBytes(each, second));
  return [proposer, second, ...legacyShuffle(rest, seed).slice(0, committeeSize - 2)];
}

/**
 * Returns the shuffled validators up to the committee size. Proposers are taken from them even when all
 * validators fit into the committee, which is not shuffled then
 * (`kaiax/valset/impl/getter_context.go@v2.2.2`, getProposer).
 */
function mixedCommittee({ qualified, committeeSize }: Election, mix: Hash): readonly Address[] {
  return fisherYatesShuffle(qualified, mixSeed(mix)).slice(0, committeeSize);
}

/**
 * Returns the proposer of the next round; under the weighted policy the first different one within an
 * interval, undefined without one.
 */
function nextProposer(election: Election, round: number, proposer: Address): Address | undefined {
  if (election.policy !== "weighted") return proposerOf(election, round + 1);
  const { list, interval } = election.proposers?.() ?? { list: election.qualified, interval: Infinity };
  // The list repeats itself, so a longer search finds no other one.
  for (let i = 1; i <= Math.min(interval, list.length); i++) {
    const next = proposerOf(election, round + i);
    if (!equalBytes(next, proposer)) return next;
  }
  return undefined;
}

function at(list: readonly Address[], index: number): Address {
  const found = list[index % list.length];
  if (found === undefined) throw new RangeError("no validator to choose from");
  return found;
}
