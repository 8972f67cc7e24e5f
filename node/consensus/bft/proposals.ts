/** What is done with proposed blocks. */
import type { ConsensusMessage, Preprepare, Proposal } from "./message.ts";
import type { RoundEvent } from "./round-state.ts";
import { proposeIfDue, sendNextRoundChange } from "./rounds.ts";
import { broadcastVote, type RoundTransition } from "./transition.ts";
import { compareViews } from "./view.ts";

/** A proposal for this view; true when it is worth passing on now. */
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
  if (lock !== undefined || message.sender === self) return accept(transition, proposal);
  transition.change({ verifying: message });
  transition.act({ type: "verify", view, proposal });
  return false;
}

/** The block of this view was checked. */
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

/** A block of our own for the next height. */
export function handleCandidate<P extends Proposal>(transition: RoundTransition<P>, proposal: P): void {
  const { view, head } = transition.state;
  if (proposal.number !== view.sequence || proposal.parent !== head.hash) return;
  transition.change({ candidate: proposal });
  proposeIfDue(transition);
}

/**
 * Our vote for a block. Also of the one that we are locked on we say "prepare" first: only what enough vote for
 * in this very round renews a lock, so that a lock can be overruled by the votes of a later round.
 */
function accept<P extends Proposal>(transition: RoundTransition<P>, proposal: P): true {
  transition.change({ phase: "preprepared", proposal });
  broadcastVote(transition, "prepare", proposal);
  return true;
}
