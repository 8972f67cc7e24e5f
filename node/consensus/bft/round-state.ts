/** What one validator knows of the agreement on the next block, and what may happen to it. */
import { type Backlog, EMPTY_BACKLOG } from "./backlog.ts";
import type { Letter, Proposal, Statement, VoteLetter } from "./letter.ts";
import type { View } from "./view.ts";

/** Who agrees on a block. The functions depend on their argument alone. */
export interface Electorate {
  /** Everybody who may say something. */
  readonly qualified: ReadonlySet<string>;
  /** Messages that are enough of a committee. */
  readonly required: number;
  /** Members of a committee that may fail. */
  readonly faulty: number;
  proposer(round: number): string;
  committee(round: number): ReadonlySet<string>;
}

/** A block that is in the chain. */
export interface Head {
  readonly number: number;
  readonly hash: string;
}

/** A block that enough have voted for in a round: nothing else is voted for until a later quorum says otherwise. */
export interface Lock<P> {
  readonly proposal: P;
  readonly round: number;
  /** The votes that made the quorum; none after a crash while they were on their way. */
  readonly proof: readonly VoteLetter<P>[];
}

/** What was signed in the newest view in which anything was: nothing else may be signed there, nor before. */
export interface Signed {
  readonly view: View;
  /** Digests by kind. */
  readonly digests: Readonly<Partial<Record<Statement<unknown>["kind"], string>>>;
}

/** What outlives a restart. */
export interface Remembered<P> {
  readonly signed: Signed;
  /** On a block of the height of `signed`. */
  readonly lock: Lock<P> | undefined;
}

/** How far a round has come. */
export type Phase = "accepting" | "preprepared" | "prepared" | "committed";

/** Votes by their senders. */
export type Votes<P> = ReadonlyMap<string, VoteLetter<P>>;

/** See the head of this file. `view` is the one agreed in or, while `waiting`, the one wished for. */
export interface RoundState<P extends Proposal> {
  readonly self: string;
  /** Signs a statement of our own; the same one gives the same letter. */
  readonly write: (statement: Statement<P>) => Letter<P>;
  readonly head: Head;
  readonly electorate: Electorate;
  readonly view: View;
  /** The round that was started last: who its committee is decides who gets what we say. */
  readonly started: number;
  /** True from a round change of our own until enough others want the round. */
  readonly waiting: boolean;
  readonly phase: Phase;
  /** The letter whose block is being judged. */
  readonly judging: Letter<P> | undefined;
  /** The block accepted in this view. */
  readonly proposal: P | undefined;
  readonly lock: Lock<P> | undefined;
  /** Our own block of this height. */
  readonly candidate: P | undefined;
  readonly prepares: Votes<P>;
  readonly commits: Votes<P>;
  /** The rounds that each sender wants, each list ascending. */
  readonly roundChanges: ReadonlyMap<string, readonly number[]>;
  /** Votes against the lock: by sender, the newest last. */
  readonly doubts: ReadonlyMap<string, readonly VoteLetter<P>[]>;
  readonly backlog: Backlog<P>;
  readonly signed: Signed;
}

/** What may happen. */
export type RoundEvent<P extends Proposal> =
  /** A block is in the chain, made here or elsewhere; `electorate` is that of the block after it. */
  | { readonly type: "head"; readonly head: Head; readonly electorate: Electorate }
  /** The block that a `build` asked for. */
  | { readonly type: "candidate"; readonly proposal: P }
  | { readonly type: "letter"; readonly letter: Letter<P> }
  /** The answer to a `judge`. */
  | { readonly type: "judged"; readonly view: View; readonly hash: string; readonly good: boolean }
  /** The timer of a view ran out. */
  | { readonly type: "timeout"; readonly view: View }
  /** The chain did not take a block that a `commit` gave it. */
  | { readonly type: "refused"; readonly hash: string };

/** What is to be done, in this order, once what was signed is safe on disk. */
export type RoundAction<P extends Proposal> =
  /** Send to those whom it concerns and who lack it. */
  | { readonly type: "gossip"; readonly letter: Letter<P> }
  /** Send to those whom it concerns, even if they had it once. */
  | { readonly type: "remind"; readonly letters: readonly Letter<P>[] }
  /** Make a block on the head, to be proposed in this view. */
  | { readonly type: "build"; readonly view: View }
  /** Check a block by all rules. */
  | { readonly type: "judge"; readonly view: View; readonly proposal: P }
  /** Start the one timer anew. */
  | { readonly type: "timer"; readonly view: View; readonly ms: number }
  /** Enough have agreed: put the block with the seals of these commits into the chain. */
  | {
      readonly type: "commit";
      readonly proposal: P;
      readonly round: number;
      readonly commits: readonly VoteLetter<P>[];
    };

/** The result of a step. */
export interface Step<P extends Proposal> {
  readonly state: RoundState<P>;
  readonly actions: readonly RoundAction<P>[];
}

/** The parts of a state that every new view begins with. */
export const FRESH_VIEW = {
  phase: "accepting",
  judging: undefined,
  proposal: undefined,
  prepares: new Map(),
  commits: new Map(),
} as const;

/** The parts of a state that every new height begins with. */
export const FRESH_HEIGHT = {
  ...FRESH_VIEW,
  started: 0,
  waiting: false,
  lock: undefined,
  candidate: undefined,
  roundChanges: new Map(),
  doubts: new Map(),
} as const;

/** A state in which nothing has happened yet. */
export function initialState<P extends Proposal>(
  { self, write }: Pick<RoundState<P>, "self" | "write">,
  head: Head,
  electorate: Electorate,
): RoundState<P> {
  const view = { sequence: head.number + 1, round: 0 };
  const signed = { view: { sequence: 0, round: 0 }, digests: {} };
  return { self, write, head, electorate, view, ...FRESH_HEIGHT, backlog: EMPTY_BACKLOG, signed };
}
