/** Who proposes a block in a round, and who agrees on it. Pure: what it depends on comes in as an election. */
import { equalBytes } from "../bytes/compare.ts";
import type { ProposerPolicy } from "./parameters.ts";
import { fisherYatesShuffle, legacySeed, legacyShuffle, mixSeed } from "./shuffle.ts";

/** What proposer and committee of a block are drawn from. */
export interface Election {
  readonly number: number;
  readonly policy: ProposerPolicy;
  /** Not empty, in the validators' order. */
  readonly qualified: readonly Uint8Array[];
  readonly committeeSize: number;
  readonly parentHash: Uint8Array;
  /** Of the parent; zeros where it has none. Absent before randomness. */
  readonly parentMix: Uint8Array | undefined;
  /** Who made the parent; the first validator for block 1. */
  readonly parentAuthor: Uint8Array | undefined;
  /** Under the weighted policy before randomness. */
  readonly proposers?: () => ProposerList;
}

/** The list of proposers of an interval. */
export interface ProposerList {
  readonly list: readonly Uint8Array[];
  /** The block at which the interval begins. */
  readonly since: number;
  /** Length of the interval in blocks. */
  readonly interval: number;
}

/** The proposer of a round. Throws `RangeError` without any validator. */
export function proposerOf(election: Election, round: number): Uint8Array {
  const { policy, qualified, parentMix, parentAuthor } = election;
  const last = qualified.findIndex((each) => parentAuthor !== undefined && equalBytes(each, parentAuthor));
  const index = Math.max(0, last);
  if (policy === "round-robin") return at(qualified, index + round + 1);
  if (policy === "sticky") return at(qualified, index + round);
  if (parentMix !== undefined) return at(mixedCommittee(election, parentMix), round);
  const { list, since } = election.proposers?.() ?? { list: qualified, since: election.number - 1 };
  return at(list, election.number + round - since - 1);
}

/** The committee of a round: everyone in the validators' order when all fit into it. */
export function committeeOf(election: Election, round: number): readonly Uint8Array[] {
  const { policy, qualified, committeeSize, parentMix, parentHash } = election;
  if (qualified.length <= committeeSize) return qualified;
  if (policy === "weighted" && parentMix !== undefined) return mixedCommittee(election, parentMix);
  const proposer = proposerOf(election, round);
  if (committeeSize === 1) return [proposer];
  const second = nextProposer(election, round, proposer);
  if (second === undefined) return qualified;
  const rest = qualified.filter((each) => !equalBytes(each, proposer) && !equalBytes(each, second));
  const drawn = legacyShuffle(rest, legacySeed(parentHash));
  return [proposer, second, ...drawn.slice(0, committeeSize - 2)];
}

/**
 * The shuffled validators, as many as the committee has. Proposers come from them even when everyone fits into the
 * committee, which is then not shuffled (kaia/kaiax/valset/impl/getter_context.go@v2.2.2, getProposer).
 */
function mixedCommittee({ qualified, committeeSize }: Election, mix: Uint8Array): readonly Uint8Array[] {
  return fisherYatesShuffle(qualified, mixSeed(mix)).slice(0, committeeSize);
}

/**
 * The proposer of the next round; under the weighted policy the first other one within an interval, undefined where
 * there is none.
 */
function nextProposer(election: Election, round: number, proposer: Uint8Array): Uint8Array | undefined {
  if (election.policy !== "weighted") return proposerOf(election, round + 1);
  const { list, interval } = election.proposers?.() ?? { list: election.qualified, interval: Infinity };
  // The list repeats itself, so a longer search finds no other one.
  for (let i = 1; i <= Math.min(interval, list.length); i++) {
    const next = proposerOf(election, round + i);
    if (!equalBytes(next, proposer)) return next;
  }
  return undefined;
}

function at(list: readonly Uint8Array[], index: number): Uint8Array {
  const found = list[index % list.length];
  if (found === undefined) throw new RangeError("no validator to choose from");
  return found;
}
