/**
 * Handling of proposals: pre-prepares of the proposer, results of their verification and blocks that this
 * node built.
 */
import { equalBytes } from "../../bytes/compare.ts";
import type { ConsensusMessage, Preprepare, Proposal } from "./message.ts";
import type { RoundEvent } from "./round-state.ts";
import { proposeIfDue, sendNextRoundChange } from "./rounds.ts";
import { broadcastVote, type RoundTransition } from "./transition.ts";
import { compareViews } from "./view.ts";

/** Handles a pre-prepare of the current view. Returns true when it is to be relayed now. */
export function handlePreprepare<P extends Proposal>(
  transition: RoundTransition<P>,
  message: ConsensusMessage<P>,
  said: Preprepare<P>,
): boolean {
  const { self, view, head, validators, phase, verifying, lock } = transition.state;
  const { proposal } = said;
  if (message.sender !== validators.proposer(view.round)) return false;
  if (phase !== "accepting" || verifying !== undefined) return false;
  const fits = proposal.number === view.sequence && proposal.parent === head.hash;
  if (!fits || (lock !== undefined && lock.proposal.hash !== proposal.hash)) {
    sendNextRoundChange(transition);
    return fits;
  }
  if (lock !== undefined) {
    accept(transition, lock.proposal); // was verified, and the body of this message was not
    return equalBytes(proposal.body, lock.proposal.body);
  }
  if (message.sender === self) return accept(transition, proposal);
  transition.change({ verifying: message });
  transition.act({ type: "verify", view, proposal });
  return false;
}

/** Handles the result of verifying the proposal of the current view. */
export function handleVerification<P extends Proposal>(
  transition: RoundTransition<P>,
  { view, hash, isValid }: RoundEvent<P> & { readonly type: "verified" },
): void {
  const { verifying, view: current } = transition.state;
  if (verifying === undefined || compareViews(view, current) !== 0) return;
  const { payload } = verifying;
  if (payload.kind !== "preprepare" || payload.proposal.hash !== hash) return;
  transition.change({ verifying: undefined });
  if (!isValid) return sendNextRoundChange(transition);
  transition.act({ type: "gossip", message: verifying });
  accept(transition, payload.proposal);
}

/** Handles a block that this node built for the next height. */
export function handleCandidate<P extends Proposal>(transition: RoundTransition<P>, proposal: P): void {
  const { view, head } = transition.state;
  if (proposal.number !== view.sequence || proposal.parent !== head.hash) return;
  transition.change({ candidate: proposal });
  proposeIfDue(transition);
}

/**
 * Accepts a proposal and prepares it. A locked block is prepared again in each round: only a quorum of
 * prepares of the same round renews a lock, so that votes of a later round can release it.
 */
function accept<P extends Proposal>(transition: RoundTransition<P>, proposal: P): true {
  transition.change({ phase: "preprepared", proposal });
  broadcastVote(transition, "prepare", proposal);
  return true;
}
