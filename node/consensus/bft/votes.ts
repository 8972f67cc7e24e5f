/** Counts prepares and commits. A quorum of both locks the block, a quorum of commits ends the height. */

import { countConflictingVote } from "./lock-release.ts";
import type { Proposal, VoteMessage } from "./message.ts";
import { sendNextRoundChange } from "./rounds.ts";
import { broadcastVote, type RoundTransition, withVote } from "./transition.ts";

/** Handles a prepare or commit of the current view. Returns true when it counts. */
export function handleVote<P extends Proposal>(
  transition: RoundTransition<P>,
  message: VoteMessage<P>,
): boolean {
  const { proposal, validators, view, prepares, commits } = transition.state;
  const { kind, digest, parent } = message.payload;
  if (proposal === undefined || digest !== proposal.hash || parent !== proposal.parent) {
    countConflictingVote(transition, message); // counted here, since the same message is not handled again
    return false;
  }
  if (!validators.committee(view.round).has(message.sender)) return false;
  if (kind === "prepare") transition.change({ prepares: withVote(prepares, message) });
  else transition.change({ commits: withVote(commits, message) });
  lockOnQuorum(transition, proposal);
  commitOnQuorum(transition, proposal);
  return true;
}

/** Commits count as prepares: a validator that was locked on the block before may send only a commit. */
function lockOnQuorum<P extends Proposal>(transition: RoundTransition<P>, proposal: P): void {
  const { phase, prepares, commits, validators, view } = transition.state;
  if (phase !== "preprepared") return;
  const voters = new Map([...commits, ...prepares]);
  if (voters.size < validators.required) return;
  const lock = { proposal, round: view.round, proof: [...voters.values()] };
  transition.change({ phase: "prepared", lock, conflictingVotes: new Map() });
  broadcastVote(transition, "commit", proposal);
}

function commitOnQuorum<P extends Proposal>(transition: RoundTransition<P>, proposal: P): void {
  const { phase, commits, validators, started } = transition.state;
  if (phase !== "prepared" || commits.size < validators.required) return;
  transition.change({ phase: "committed" });
  transition.act({ type: "commit", proposal, round: started, commits: [...commits.values()] });
}

/** Handles an agreed block that the chain rejected: releases the lock on it. */
export function handleRejectedBlock<P extends Proposal>(transition: RoundTransition<P>, hash: string): void {
  const { proposal, lock } = transition.state;
  if (lock?.proposal.hash === hash) transition.change({ lock: undefined });
  if (proposal?.hash === hash) sendNextRoundChange(transition);
}
