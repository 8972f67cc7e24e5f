/**
 * How a lock gives way: when enough voted for another block in a later round. Whoever is locked repeats the votes
 * that its lock stands on with each round change, so everybody comes to see the latest quorum; without that, two
 * validators locked on different blocks could stop the chain for good. It is safe: had the locked block been
 * committed, too many would be bound to it for another one to get a quorum.
 */
import type { Proposal, VoteMessage } from "./message.ts";
import type { Lock } from "./round-state.ts";
import type { RoundTransition } from "./transition.ts";

/** Votes of one sender that are restored. */
const MAX_CONFLICTING_VOTES = 16;

/** A vote of this round or a past one of the height that is not for our block. */
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

/** A lock that stands on no votes was foreseen: a quorum of its own round for another block shows that it has none. */
function firstConflictingRound<P>({ round, proof }: Lock<P>): number {
  return proof.length === 0 ? round : round + 1;
}

function isSameVote<P>({ payload: a }: VoteMessage<P>, { payload: b }: VoteMessage<P>): boolean {
  return a.view.round === b.view.round && a.digest === b.digest;
}
