/** State, events and actions of the round machine of one validator. */
import { type Backlog, EMPTY_BACKLOG } from "./backlog.ts";
import type { ConsensusMessage, MessagePayload, Proposal, VoteMessage } from "./message.ts";
import type { View } from "./view.ts";

/** Validators of a block. Both functions are pure. */
export interface BlockValidatorSet {
  /** Validators that may send messages. */
  readonly qualified: ReadonlySet<string>;
  /** Number of messages that make a quorum of a committee. */
  readonly required: number;
  /** Number of committee members that may be faulty. */
  readonly faulty: number;
  proposer(round: number): string;
  committee(round: number): ReadonlySet<string>;
}

/** The newest block of the chain. */
export interface Head {
  readonly number: number;
  readonly hash: string;
}

/**
 * A block with a quorum of prepares in a round. The validator votes for no other block until a later quorum
 * releases the lock.
 */
export interface Lock<P> {
  readonly proposal: P;
  readonly round: number;
  /** Votes of the quorum; empty when the lock was written ahead and the node crashed before it had them. */
  readonly proof: readonly VoteMessage<P>[];
}

/**
 * Messages signed in the newest view. Nothing else may be signed in this view, and nothing in earlier views.
 */
export interface LastSigned {
  readonly view: View;
  /** Digest by payload kind. */
  readonly digests: Readonly<Partial<Record<MessagePayload<unknown>["kind"], string>>>;
}

/** Part of the state that survives a restart. */
export interface DurableState<P> {
  readonly signed: LastSigned;
  /** Lock on a block of the height of `signed`. */
  readonly lock: Lock<P> | undefined;
}

/** Progress of a round. */
export type RoundPhase = "accepting" | "preprepared" | "prepared" | "committed";

/** Votes by sender. */
export type Votes<P> = ReadonlyMap<string, VoteMessage<P>>;

/**
 * Round state of one validator. `view` is the current view or, while `waiting`, the view that was voted for.
 */
export interface RoundState<P extends Proposal> {
  readonly self: string;
  /** Signs a payload of this node; the same payload gives the same message. */
  readonly write: (payload: MessagePayload<P>) => ConsensusMessage<P>;
  readonly head: Head;
  readonly validators: BlockValidatorSet;
  readonly view: View;
  /** Round that was started last; its committee and the next one receive the messages. */
  readonly started: number;
  /** True after an own round-change vote until a quorum starts the round. */
  readonly waiting: boolean;
  readonly phase: RoundPhase;
  /** Message whose block is being verified. */
  readonly verifying: ConsensusMessage<P> | undefined;
  /** Accepted block of this view. */
  readonly proposal: P | undefined;
  readonly lock: Lock<P> | undefined;
  /** Block that this node built for this height. */
  readonly candidate: P | undefined;
  readonly prepares: Votes<P>;
  readonly commits: Votes<P>;
  /** Rounds that each sender has voted for, ascending. */
  readonly roundChanges: ReadonlyMap<string, readonly number[]>;
  /** Votes that conflict with the lock, by sender, the newest last. */
  readonly conflictingVotes: ReadonlyMap<string, readonly VoteMessage<P>[]>;
  readonly backlog: Backlog<P>;
  readonly signed: LastSigned;
}

/** Input of the round machine. */
export type RoundEvent<P extends Proposal> =
  /** The chain has a new head, built here or elsewhere; `validators` are those of the next block. */
  | { readonly type: "head"; readonly head: Head; readonly validators: BlockValidatorSet }
  /** Result of `build`. */
  | { readonly type: "candidate"; readonly proposal: P }
  | { readonly type: "message"; readonly message: ConsensusMessage<P> }
  /** Result of `verify`. */
  | { readonly type: "verified"; readonly view: View; readonly hash: string; readonly isValid: boolean }
  /** The timer of a view ran out. */
  | { readonly type: "timeout"; readonly view: View }
  /** The chain rejected the block of a `commit`. */
  | { readonly type: "refused"; readonly hash: string };

/** Output of the round machine, carried out in order once the signing record is durable. */
export type RoundAction<P extends Proposal> =
  /** Send to the recipients that have not seen it. */
  | { readonly type: "gossip"; readonly message: ConsensusMessage<P> }
  /** Send to all recipients again. */
  | { readonly type: "resend"; readonly messages: readonly ConsensusMessage<P>[] }
  /** Build a block on the head, to be proposed in this view. */
  | { readonly type: "build"; readonly view: View }
  /** Verify a proposed block. */
  | { readonly type: "verify"; readonly view: View; readonly proposal: P }
  /** Restart the timer. */
  | { readonly type: "timer"; readonly view: View; readonly ms: number }
  /** Insert the block with the seals of these commits. */
  | {
      readonly type: "commit";
      readonly proposal: P;
      readonly round: number;
      readonly commits: readonly VoteMessage<P>[];
    };

/** Result of one event. */
export interface RoundStep<P extends Proposal> {
  readonly state: RoundState<P>;
  readonly actions: readonly RoundAction<P>[];
}

/** State at the start of a view. */
export const INITIAL_VIEW_STATE = {
  phase: "accepting",
  verifying: undefined,
  proposal: undefined,
  prepares: new Map(),
  commits: new Map(),
} as const;

/** State at the start of a height. */
export const INITIAL_HEIGHT_STATE = {
  ...INITIAL_VIEW_STATE,
  started: 0,
  waiting: false,
  lock: undefined,
  candidate: undefined,
  roundChanges: new Map(),
  conflictingVotes: new Map(),
} as const;

/** Returns the state before the first event. */
export function initialState<P extends Proposal>(
  { self, write }: Pick<RoundState<P>, "self" | "write">,
  head: Head,
  validators: BlockValidatorSet,
): RoundState<P> {
  const view = { sequence: head.number + 1, round: 0 };
  const signed = { view: { sequence: 0, round: 0 }, digests: {} };
  return { self, write, head, validators, view, ...INITIAL_HEIGHT_STATE, backlog: EMPTY_BACKLOG, signed };
}
