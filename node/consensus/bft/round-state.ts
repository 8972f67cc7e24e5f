/** What one validator knows of the agreement on the next block, and what may happen to it. */
import { type Backlog, EMPTY_BACKLOG } from "./backlog.ts";
import type { ConsensusMessage, Payload, Proposal, VoteMessage } from "./message.ts";
import type { View } from "./view.ts";

/** Who agrees on a block. The functions depend on their argument alone. */
export interface BlockValidatorSet {
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
  readonly proof: readonly VoteMessage<P>[];
}

/** What was signed in the newest view in which anything was: nothing else may be signed there, nor before. */
export interface LastSigned {
  readonly view: View;
  /** Digests by kind. */
  readonly digests: Readonly<Partial<Record<Payload<unknown>["kind"], string>>>;
}

/** What outlives a restart. */
export interface DurableState<P> {
  readonly signed: LastSigned;
  /** On a block of the height of `signed`. */
  readonly lock: Lock<P> | undefined;
}

/** How far a round has come. */
export type RoundPhase = "accepting" | "preprepared" | "prepared" | "committed";

/** Votes by their senders. */
export type Votes<P> = ReadonlyMap<string, VoteMessage<P>>;

/** See the head of this file. `view` is the one agreed in or, while `waiting`, the one wished for. */
export interface RoundState<P extends Proposal> {
  readonly self: string;
  /** Signs a payload of our own; the same one gives the same message. */
  readonly write: (payload: Payload<P>) => ConsensusMessage<P>;
  readonly head: Head;
  readonly validators: BlockValidatorSet;
  readonly view: View;
  /** The round that was started last: who its committee is decides who gets what we say. */
  readonly started: number;
  /** True from a round change of our own until enough others want the round. */
  readonly waiting: boolean;
  readonly phase: RoundPhase;
  /** The message whose block is being judged. */
  readonly verifying: ConsensusMessage<P> | undefined;
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
  readonly conflictingVotes: ReadonlyMap<string, readonly VoteMessage<P>[]>;
  readonly backlog: Backlog<P>;
  readonly signed: LastSigned;
}

/** What may happen. */
export type RoundEvent<P extends Proposal> =
  /** A block is in the chain, made here or elsewhere; `validators` is that of the block after it. */
  | { readonly type: "head"; readonly head: Head; readonly validators: BlockValidatorSet }
  /** The block that a `build` asked for. */
  | { readonly type: "candidate"; readonly proposal: P }
  | { readonly type: "message"; readonly message: ConsensusMessage<P> }
  /** The answer to a `verify`. */
  | { readonly type: "verified"; readonly view: View; readonly hash: string; readonly isValid: boolean }
  /** The timer of a view ran out. */
  | { readonly type: "timeout"; readonly view: View }
  /** The chain did not take a block that a `commit` gave it. */
  | { readonly type: "refused"; readonly hash: string };

/** What is to be done, in this order, once what was signed is safe on disk. */
export type RoundAction<P extends Proposal> =
  /** Send to those whom it concerns and who lack it. */
  | { readonly type: "gossip"; readonly message: ConsensusMessage<P> }
  /** Send to those whom it concerns, even if they had it once. */
  | { readonly type: "resend"; readonly messages: readonly ConsensusMessage<P>[] }
  /** Make a block on the head, to be proposed in this view. */
  | { readonly type: "build"; readonly view: View }
  /** Check a block by all rules. */
  | { readonly type: "verify"; readonly view: View; readonly proposal: P }
  /** Start the one timer anew. */
  | { readonly type: "timer"; readonly view: View; readonly ms: number }
  /** Enough have agreed: put the block with the seals of these commits into the chain. */
  | {
      readonly type: "commit";
      readonly proposal: P;
      readonly round: number;
      readonly commits: readonly VoteMessage<P>[];
    };

/** The result of a step. */
export interface RoundStep<P extends Proposal> {
  readonly state: RoundState<P>;
  readonly actions: readonly RoundAction<P>[];
}

/** The parts of a state that every new view begins with. */
export const INITIAL_VIEW_STATE = {
  phase: "accepting",
  verifying: undefined,
  proposal: undefined,
  prepares: new Map(),
  commits: new Map(),
} as const;

/** The parts of a state that every new height begins with. */
export const INITIAL_HEIGHT_STATE = {
  ...INITIAL_VIEW_STATE,
  started: 0,
  waiting: false,
  lock: undefined,
  candidate: undefined,
  roundChanges: new Map(),
  conflictingVotes: new Map(),
} as const;

/** A state in which nothing has happened yet. */
export function initialState<P extends Proposal>(
  { self, write }: Pick<RoundState<P>, "self" | "write">,
  head: Head,
  validators: BlockValidatorSet,
): RoundState<P> {
  const view = { sequence: head.number + 1, round: 0 };
  const signed = { view: { sequence: 0, round: 0 }, digests: {} };
  return { self, write, head, validators, view, ...INITIAL_HEIGHT_STATE, backlog: EMPTY_BACKLOG, signed };
}
