/** Plan of a run of the simulation, drawn from its seed: members, faults of the network and their durations. */
import type { BlockValidatorSet } from "../../../node/consensus/bft/round-state.ts";
import { fisherYatesShuffle } from "../../../node/governance/shuffle.ts";
import { quorum } from "../../../node/governance/validators.ts";
import { seededRandom } from "../random.ts";

/** Kinds of traitors; each one is a member of the council with a key of its own. */
export type Treason =
  | "silent"
  | "two-proposals"
  | "two-bodies"
  | "bad-blocks"
  | "bad-seals"
  | "wrong-rounds"
  | "votes-for-all";

/** All kinds. */
export const TREASONS: readonly Treason[] = [
  "silent",
  "two-proposals",
  "two-bodies",
  "bad-blocks",
  "bad-seals",
  "wrong-rounds",
  "votes-for-all",
];

/** One run. Times are milliseconds of the simulation. */
export interface Plan {
  readonly seed: number;
  readonly validators: number;
  readonly committeeSize: number;
  readonly traitors: ReadonlyMap<number, Treason>;
  /** Until then the network is bad; afterwards everything arrives, and everybody honest is there. */
  readonly badUntil: number;
  /** Chance that a message is lost; that of commits is apart, so that some come to a block and others do not. */
  readonly loss: number;
  readonly commitLoss: number;
  /** Chance that a validator gets to ask another one for blocks. */
  readonly syncs: number;
  readonly duplicates: number;
  readonly maxDelay: number;
  /** Chance that a step ends in a crash. */
  readonly crashes: number;
  /** Partitions of the network: begin, duration, and number of validators on the one side. */
  readonly cuts: readonly {
    readonly from: number;
    readonly to: number;
    readonly side: ReadonlySet<number>;
  }[];
  /** True if validators relay messages; all are connected to all. */
  readonly relays: boolean;
}

/** The plan of a seed; everything in it follows from the two numbers. */
export function planOf(seed: number, validators: number): Plan {
  const random = seededRandom(seed * 64 + validators);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const committeeSize = validators > 21 && random() < 0.5 ? 21 : validators;
  const { faulty } = quorum(committeeSize);
  const traitors = new Map<number, Treason>();
  for (let left = upTo(faulty); left > 0; left--) {
    traitors.set(upTo(validators - 1), TREASONS[upTo(TREASONS.length - 1)] ?? "silent");
  }
  const badUntil = random() < 0.2 ? 0 : 5000 + upTo(90_000);
  const cuts = Array.from({ length: upTo(3) }, () => {
    const from = upTo(badUntil);
    const side = new Set(Array.from({ length: validators }, (_, i) => i).filter(() => random() < 0.5));
    return { from, to: from + upTo(30_000), side };
  });
  return {
    seed,
    validators,
    committeeSize,
    traitors,
    badUntil,
    loss: random() * 0.5,
    commitLoss: random() * 0.9,
    syncs: random() ** 3,
    duplicates: random() * 0.2,
    maxDelay: random() < 0.5 ? 200 : 200 + upTo(4000),
    crashes: random() < 0.5 ? 0 : (random() * 3) / validators ** 2,
    cuts,
    relays: validators <= 22 && random() < (validators <= 7 ? 0.5 : 0.2),
  };
}

/** Reports whether no message passes from one validator to another at this time. */
export function isCut({ cuts }: Plan, now: number, from: number, to: number): boolean {
  return cuts.some((cut) => now >= cut.from && now < cut.to && cut.side.has(from) !== cut.side.has(to));
}

/** A committee for each height, the same in all its rounds, as under the weighted policy with randomness. */
export function drawValidatorSet(
  { validators, committeeSize, seed }: Plan,
  number: number,
): BlockValidatorSet {
  const names = Array.from({ length: validators }, (_, i) => `v${i}`);
  const drawn = fisherYatesShuffle(names, BigInt(seed + number));
  const committee = new Set(drawn.slice(0, committeeSize));
  return {
    qualified: new Set(names),
    ...quorum(committeeSize),
    proposer: (round) => drawn[round % committeeSize] ?? "",
    committee: () => committee,
  };
}
