/** Counts wishes for later rounds, and what a timer does. */
import type { Proposal, VoteLetter } from "./letter.ts";
import type { RoundState } from "./round-state.ts";
import { startRound, wantNextRound, wantRound } from "./rounds.ts";
import type { Turn } from "./turn.ts";
import { compareViews, type View } from "./view.ts";

/** Wishes of one sender that are remembered: the latest rounds. */
const KEPT_WISHES = 16;

/** A round change for this view or a later one of the height; true when it is worth passing on. */
export function takeRoundChange<P extends Proposal>(turn: Turn<P>, letter: VoteLetter<P>): boolean {
  const { view, waiting, electorate, roundChanges } = turn.state;
  const { round } = letter.statement.view;
  const wishes = new Set(roundChanges.get(letter.sender)).add(round);
  const latest = [...wishes].sort((a, b) => a - b).slice(-KEPT_WISHES);
  turn.change({ roundChanges: new Map(roundChanges).set(letter.sender, latest) });
  const count = wishesFor(turn.state, round);
  if (count === electorate.required && (waiting || round > view.round)) {
    startRound(turn, round);
    return true;
  }
  if (waiting && count === electorate.faulty + 1) {
    wantRound(turn, round);
    return true;
  }
  return round <= view.round;
}

/** The time of a view is up. */
export function takeTimeout<P extends Proposal>(turn: Turn<P>, view: View): void {
  const { state } = turn;
  if (compareViews(view, state.view) !== 0) return;
  const wanted = state.waiting ? undefined : latestWanted(state);
  if (wanted === undefined) wantNextRound(turn);
  else wantRound(turn, wanted);
}

/** The latest round after this one that at least one honest validator wants. */
function latestWanted<P extends Proposal>(state: RoundState<P>): number | undefined {
  const { roundChanges, view, electorate } = state;
  const rounds = new Set([...roundChanges.values()].flat());
  const wanted = [...rounds].filter(
    (round) => round > view.round && wishesFor(state, round) > electorate.faulty,
  );
  return wanted.length === 0 ? undefined : Math.max(...wanted);
}

function wishesFor<P extends Proposal>({ roundChanges }: RoundState<P>, round: number): number {
  let count = 0;
  for (const rounds of roundChanges.values()) if (rounds.includes(round)) count++;
  return count;
}
