/** Counts wishes for later rounds, and what a timer does. */
import type { Proposal, VoteMessage } from "./message.ts";
import type { RoundState } from "./round-state.ts";
import { sendNextRoundChange, sendRoundChange, startRound } from "./rounds.ts";
import type { RoundTransition } from "./transition.ts";
import { compareViews, type View } from "./view.ts";

/** Wishes of one sender that are restored: the latest rounds. */
const MAX_ROUND_CHANGES_PER_SENDER = 16;

/** A round change for this view or a later one of the height; true when it is worth passing on. */
export function handleRoundChange<P extends Proposal>(
  transition: RoundTransition<P>,
  message: VoteMessage<P>,
): boolean {
  const { view, waiting, validators, roundChanges } = transition.state;
  const { round } = message.payload.view;
  const wishes = new Set(roundChanges.get(message.sender)).add(round);
  const latest = [...wishes].sort((a, b) => a - b).slice(-MAX_ROUND_CHANGES_PER_SENDER);
  transition.change({ roundChanges: new Map(roundChanges).set(message.sender, latest) });
  const count = roundChangeVotes(transition.state, round);
  if (count === validators.required && (waiting || round > view.round)) {
    startRound(transition, round);
    return true;
  }
  if (waiting && count === validators.faulty + 1) {
    sendRoundChange(transition, round);
    return true;
  }
  return round <= view.round;
}

/** The time of a view is up. */
export function handleTimeout<P extends Proposal>(transition: RoundTransition<P>, view: View): void {
  const { state } = transition;
  if (compareViews(view, state.view) !== 0) return;
  const wanted = state.waiting ? undefined : latestRequestedRound(state);
  if (wanted === undefined) sendNextRoundChange(transition);
  else sendRoundChange(transition, wanted);
}

/** The latest round after this one that at least one honest validator wants. */
function latestRequestedRound<P extends Proposal>(state: RoundState<P>): number | undefined {
  const { roundChanges, view, validators } = state;
  const rounds = new Set([...roundChanges.values()].flat());
  const wanted = [...rounds].filter(
    (round) => round > view.round && roundChangeVotes(state, round) > validators.faulty,
  );
  return wanted.length === 0 ? undefined : Math.max(...wanted);
}

function roundChangeVotes<P extends Proposal>({ roundChanges }: RoundState<P>, round: number): number {
  let count = 0;
  for (const rounds of roundChanges.values()) if (rounds.includes(round)) count++;
  return count;
}
