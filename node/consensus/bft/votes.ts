/** Counts prepares and commits: enough of them lock a block, enough commits are the end of the height. */

import { takeDoubt } from "./doubts.ts";
import type { Proposal, VoteLetter } from "./letter.ts";
import { wantNextRound } from "./rounds.ts";
import { sayOfBlock, type Turn, withVote } from "./turn.ts";

/** A prepare or commit of this view; true when it counts. */
export function takeVote<P extends Proposal>(turn: Turn<P>, letter: VoteLetter<P>): boolean {
  const { proposal, electorate, view, prepares, commits } = turn.state;
  const { kind, digest, parent } = letter.statement;
  if (proposal === undefined || digest !== proposal.hash || parent !== proposal.parent) {
    takeDoubt(turn, letter); // it comes once: the same letter is not read again
    return false;
  }
  if (!electorate.committee(view.round).has(letter.sender)) return false;
  if (kind === "prepare") turn.change({ prepares: withVote(prepares, letter) });
  else turn.change({ commits: withVote(commits, letter) });
  lockIfAgreed(turn, proposal);
  commitIfAgreed(turn, proposal);
  return true;
}

/** Both kinds are counted: who was bound to the block before may have said "commit" alone. */
function lockIfAgreed<P extends Proposal>(turn: Turn<P>, proposal: P): void {
  const { phase, prepares, commits, electorate, view } = turn.state;
  if (phase !== "preprepared") return;
  const voters = new Map([...commits, ...prepares]);
  if (voters.size < electorate.required) return;
  const lock = { proposal, round: view.round, proof: [...voters.values()] };
  turn.change({ phase: "prepared", lock, doubts: new Map() });
  sayOfBlock(turn, "commit", proposal);
}

function commitIfAgreed<P extends Proposal>(turn: Turn<P>, proposal: P): void {
  const { phase, commits, electorate, started } = turn.state;
  if (phase !== "prepared" || commits.size < electorate.required) return;
  turn.change({ phase: "committed" });
  turn.act({ type: "commit", proposal, round: started, commits: [...commits.values()] });
}

/** The chain refused a block that was agreed on: nobody is bound to it any more. */
export function dropRefused<P extends Proposal>(turn: Turn<P>, hash: string): void {
  const { proposal, lock } = turn.state;
  if (lock?.proposal.hash === hash) turn.change({ lock: undefined });
  if (proposal?.hash === hash) wantNextRound(turn);
}
