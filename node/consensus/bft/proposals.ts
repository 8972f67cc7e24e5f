/** What is done with proposed blocks. */
import type { Letter, Preprepare, Proposal } from "./letter.ts";
import type { RoundEvent } from "./round-state.ts";
import { proposeIfDue, wantNextRound } from "./rounds.ts";
import { sayOfBlock, type Turn } from "./turn.ts";
import { compareViews } from "./view.ts";

/** A proposal for this view; true when it is worth passing on now. */
export function takeProposal<P extends Proposal>(
  turn: Turn<P>,
  letter: Letter<P>,
  said: Preprepare<P>,
): boolean {
  const { self, view, head, electorate, phase, judging, lock } = turn.state;
  const { proposal } = said;
  if (letter.sender !== electorate.proposer(view.round)) return false;
  if (phase !== "accepting" || judging !== undefined) return false;
  const fits = proposal.number === view.sequence && proposal.parent === head.hash;
  if (!fits || (lock !== undefined && lock.proposal.hash !== proposal.hash)) {
    wantNextRound(turn);
    return fits;
  }
  if (lock !== undefined || letter.sender === self) return accept(turn, proposal);
  turn.change({ judging: letter });
  turn.act({ type: "judge", view, proposal });
  return false;
}

/** The block of this view was checked. */
export function takeJudgement<P extends Proposal>(
  turn: Turn<P>,
  { view, hash, good }: RoundEvent<P> & { readonly type: "judged" },
): void {
  const { judging, view: current } = turn.state;
  if (judging === undefined || compareViews(view, current) !== 0) return;
  const { statement } = judging;
  if (statement.kind !== "preprepare" || statement.proposal.hash !== hash) return;
  turn.change({ judging: undefined });
  if (!good) return wantNextRound(turn);
  turn.act({ type: "gossip", letter: judging });
  accept(turn, statement.proposal);
}

/** A block of our own for the next height. */
export function takeCandidate<P extends Proposal>(turn: Turn<P>, proposal: P): void {
  const { view, head } = turn.state;
  if (proposal.number !== view.sequence || proposal.parent !== head.hash) return;
  turn.change({ candidate: proposal });
  proposeIfDue(turn);
}

/**
 * Our vote for a block. Also of the one that we are locked on we say "prepare" first: only what enough vote for
 * in this very round renews a lock, so that a lock can be overruled by the votes of a later round.
 */
function accept<P extends Proposal>(turn: Turn<P>, proposal: P): true {
  turn.change({ phase: "preprepared", proposal });
  sayOfBlock(turn, "prepare", proposal);
  return true;
}
