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
  /** Under the weighted policy before randomness: the list and the block at which it begins. */
  readonly proposers?: () => { readonly list: readonly Uint8Array[]; readonly since: number };
}

/** The proposer of a round. Throws `RangeError` without any validator. */
export function proposerOf(election: Election, round: number): Uint8Array {
  const { policy, qualified, parentMix, parentAuthor } = election;
  const last = qualified.findIndex((each) => parentAuthor !== undefined && equalBytes(each, parentAuthor));
  const index = Math.max(0, last);
  if (policy === "round-robin") return at(qualified, index + round + 1);
  if (policy === "sticky") return at(qualified, index + round);
  if (parentMix !== undefined) return at(committeeOf(election, round), round);
  const { list, since } = election.proposers?.() ?? { list: qualified, since: election.number - 1 };
  return at(list, election.number + round - since - 1);
}

/** The committee of a round: everyone when all fit into it. */
export function committeeOf(election: Election, round: number): readonly Uint8Array[] {
  const { policy, qualified, committeeSize, parentMix, parentHash } = election;
  if (qualified.length <= committeeSize) return qualified;
  if (policy === "weighted" && parentMix !== undefined) {
    return fisherYatesShuffle(qualified, mixSeed(parentMix)).slice(0, committeeSize);
  }
  const proposer = proposerOf(election, round);
  if (committeeSize === 1) return [proposer];
  const second = nextProposer(election, round, proposer);
  const rest = qualified.filter((each) => !equalBytes(each, proposer) && !equalBytes(each, second));
  const drawn = legacyShuffle(rest, legacySeed(parentHash));
  return [proposer, second, ...drawn.slice(0, committeeSize - 2)];
}

/** The proposer after this round's; under the weighted policy the first who is another one. */
function nextProposer(election: Election, round: number, proposer: Uint8Array): Uint8Array {
  if (election.policy !== "weighted") return proposerOf(election, round + 1);
  const length = election.proposers?.().list.length ?? election.qualified.length;
  for (let i = 1; i < length; i++) {
    const next = proposerOf(election, round + i);
    if (!equalBytes(next, proposer)) return next;
  }
  return proposer;
}

function at(list: readonly Uint8Array[], index: number): Uint8Array {
  const found = list[index % list.length];
  if (found === undefined) throw new RangeError("no validator to choose from");
  return found;
}
