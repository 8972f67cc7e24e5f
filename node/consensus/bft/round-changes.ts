/** Counts round-change votes and handles timeouts (`consensus/istanbul/core/roundchange.go@v2.2.2`). */
import type { Proposal, VoteMessage } from "./message.ts";
import type { RoundState } from "./round-state.ts";
import { sendNextRoundChange, sendRoundChange, startRound } from "./rounds.ts";
import type { RoundTransition } from "./transition.ts";
import { compareViews, type View } from "./view.ts";

/** Round-change votes that are kept of each sender: those for the latest rounds. */
const MAX_ROUND_CHANGES_PER_SENDER = 16;

/**
 * Handles a round-change vote of the current view or a later one of the height. Returns true when it is to be
 * relayed.
 */
export function handleRoundChange<P extends Proposal>(
  transition: RoundTransition<P>,
  message: VoteMessage<P>,
): boolean {
  const { view, waiting, validators, roundChanges } = transition.state;
  const { round } = message.payload.view;
  const requested = new Set(roundChanges.get(message.sender)).add(round);
  const latest = [...requested].sort((a, b) => a - b).slice(-MAX_ROUND_CHANGES_PER_SENDER);
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

/** Handles the timeout of a view. */
export function handleTimeout<P extends Proposal>(transition: RoundTransition<P>, view: View): void {
  const { state } = transition;
  if (compareViews(view, state.view) !== 0) return;
  const wanted = state.waiting ? undefined : latestRequestedRound(state);
  if (wanted === undefined) sendNextRoundChange(transition);
  else sendRoundChange(transition, wanted);
}

/** Latest later round for which at least one honest validator has voted. */
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
