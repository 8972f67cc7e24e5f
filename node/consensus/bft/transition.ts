/**
 * One transition of the round machine while it is computed: the state so far, the actions and the queue of
 * messages.
 */
import type { ConsensusMessage, MessagePayload, Proposal, VoteMessage } from "./message.ts";
import type { LastSigned, RoundAction, RoundState } from "./round-state.ts";
import { compareViews } from "./view.ts";

/** Collects the results of one event; discarded after the step. */
export class RoundTransition<P extends Proposal> {
  state: RoundState<P>;
  readonly actions: RoundAction<P>[] = [];
  /** Messages to handle in this step: own messages and those of the backlog that became due. */
  readonly queue: ConsensusMessage<P>[] = [];

  constructor(state: RoundState<P>) {
    this.state = state;
  }

  change(deps: Partial<RoundState<P>>): void {
    this.state = { ...this.state, ...deps };
  }

  act(action: RoundAction<P>): void {
    this.actions.push(action);
  }
}

/**
 * Signs a payload and queues it for this node first; it is sent once it was handled here. A payload that
 * contradicts an earlier signature is not signed.
 */
export function broadcast<P extends Proposal>(
  transition: RoundTransition<P>,
  payload: MessagePayload<P>,
): void {
  const { self, validators, signed, write } = transition.state;
  const next = signedWith(signed, payload);
  if (next === undefined || !validators.qualified.has(self)) return;
  transition.change({ signed: next });
  transition.queue.push(write(payload));
}

/** Signs a vote for a block, if this node is a member of the round's committee. */
export function broadcastVote<P extends Proposal>(
  transition: RoundTransition<P>,
  kind: "prepare" | "commit",
  proposal: P,
): void {
  const { self, validators, view } = transition.state;
  if (!validators.committee(view.round).has(self)) return;
  broadcast(transition, { kind, view, digest: proposal.hash, parent: proposal.parent });
}

/** Returns the record with this payload added; undefined when that would be a contradiction. */
function signedWith<P extends Proposal>(
  signed: LastSigned,
  payload: MessagePayload<P>,
): LastSigned | undefined {
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

/** Adds a vote; a later vote of a sender replaces an earlier one. */
export function withVote<P>(
  votes: ReadonlyMap<string, VoteMessage<P>>,
  message: VoteMessage<P>,
): ReadonlyMap<string, VoteMessage<P>> {
  return new Map(votes).set(message.sender, message);
}
