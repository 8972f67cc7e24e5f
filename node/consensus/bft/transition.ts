/** One step of the round machine while it is being made: the state so far, what is to be done, what is to be read. */
import type { ConsensusMessage, Payload, Proposal, VoteMessage } from "./message.ts";
import type { LastSigned, RoundAction, RoundState } from "./round-state.ts";
import { compareViews } from "./view.ts";

/** See the head of this file; nothing of it outlives the step. */
export class RoundTransition<P extends Proposal> {
  state: RoundState<P>;
  readonly actions: RoundAction<P>[] = [];
  /** Messages to be handled in this step: our own, and those whose time has come. */
  readonly queue: ConsensusMessage<P>[] = [];

  constructor(state: RoundState<P>) {
    this.state = state;
  }

  change(parts: Partial<RoundState<P>>): void {
    this.state = { ...this.state, ...parts };
  }

  act(action: RoundAction<P>): void {
    this.actions.push(action);
  }
}

/**
 * Says something, to ourselves first: it goes out when it was handled here. Only what does not contradict
 * anything signed before is signed.
 */
export function broadcast<P extends Proposal>(transition: RoundTransition<P>, payload: Payload<P>): void {
  const { self, validators, signed, write } = transition.state;
  const next = signedWith(signed, payload);
  if (next === undefined || !validators.qualified.has(self)) return;
  transition.change({ signed: next });
  transition.queue.push(write(payload));
}

/** The same for those who say something of a block: the members of the round's committee. */
export function broadcastVote<P extends Proposal>(
  transition: RoundTransition<P>,
  kind: "prepare" | "commit",
  proposal: P,
): void {
  const { self, validators, view } = transition.state;
  if (!validators.committee(view.round).has(self)) return;
  broadcast(transition, { kind, view, digest: proposal.hash, parent: proposal.parent });
}

/** What is signed once this is, too; undefined where that would be a contradiction. */
function signedWith<P extends Proposal>(signed: LastSigned, payload: Payload<P>): LastSigned | undefined {
  const { kind, view } = payload;
  const digest = payload.kind === "preprepare" ? payload.proposal.hash : payload.digest;
  const order = compareViews(view, signed.view);
  if (order < 0) return undefined;
  const digests = order === 0 ? signed.digests : {};
  const before = digests[kind];
  return before === undefined || before === digest
    ? { view, digests: { ...digests, [kind]: digest } }
    : undefined;
}

/** The same votes with one more; a later one of a sender takes the place of an earlier one. */
export function withVote<P>(
  votes: ReadonlyMap<string, VoteMessage<P>>,
  message: VoteMessage<P>,
): ReadonlyMap<string, VoteMessage<P>> {
  return new Map(votes).set(message.sender, message);
}
