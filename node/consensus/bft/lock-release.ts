/**
 * Releases a lock when a quorum votes for another block in a later round. A locked validator repeats the
 * votes of its lock with each round change, so that all validators see the latest quorum; otherwise two
 * validators that are locked on different blocks could halt the chain. Releasing is safe: if the locked block
 * had been committed, too many validators would be locked on it for a quorum of another block.
 */
import type { Proposal, VoteMessage } from "./message.ts";
import type { Lock } from "./round-state.ts";
import type { RoundTransition } from "./transition.ts";

/** Conflicting votes that are kept of each sender. */
const MAX_CONFLICTING_VOTES = 16;

/**
 * Counts a vote for another block than the locked one, of this round or an earlier one of the height.
 * Releases the lock at a quorum.
 */
export function countConflictingVote<P extends Proposal>(
  transition: RoundTransition<P>,
  message: VoteMessage<P>,
): void {
  const { lock, view, validators, conflictingVotes } = transition.state;
  const { payload, sender } = message;
  if (lock === undefined || payload.kind === "round-change") return;
  const { round } = payload.view;
  if (payload.view.sequence !== view.sequence || round < firstConflictingRound(lock)) return;
  if (payload.digest === lock.proposal.hash || !validators.committee(round).has(sender)) return;
  const known = conflictingVotes.get(sender) ?? [];
  const others = known.filter((each) => !isSameVote(each, message)).slice(1 - MAX_CONFLICTING_VOTES);
  const next = new Map(conflictingVotes).set(sender, [...others, message]);
  const doubters = [...next.values()].filter((messages) =>
    messages.some((each) => isSameVote(each, message)),
  );
  if (doubters.length < validators.required) transition.change({ conflictingVotes: next });
  else transition.change({ conflictingVotes: new Map(), lock: undefined });
}

/**
 * First round whose quorum releases the lock. A lock that was written ahead of its prepares is released by
 * its own round as well.
 */
function firstConflictingRound<P>({ round, proof }: Lock<P>): number {
  return proof.length === 0 ? round : round + 1;
}

function isSameVote<P>({ payload: a }: VoteMessage<P>, { payload: b }: VoteMessage<P>): boolean {
  return a.view.round === b.view.round && a.digest === b.digest;
}
