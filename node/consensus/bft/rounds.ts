/** How rounds begin and end: by agreement of enough, by time, by a block that cannot be agreed on. */
import type { Proposal } from "./letter.ts";
import { type Electorate, FRESH_HEIGHT, FRESH_VIEW, type Head, type RoundState } from "./round-state.ts";
import { say, type Turn } from "./turn.ts";

/** The digest of a vote that is for no block. */
export const NO_DIGEST = "\0".repeat(32);

const TIMEOUT_MS = 10_000;
/** Rounds whose timers still double; the next ones wait as long as this. */
const MOST_DOUBLINGS = 20;

/** Milliseconds that a round may take, and a wish for it. */
export function timeoutMs(round: number): number {
  return round === 0 ? TIMEOUT_MS : TIMEOUT_MS + 2 ** Math.min(round, MOST_DOUBLINGS) * 1000;
}

/** The chain has a new head: the block after it is agreed on from here on. */
export function startHeight<P extends Proposal>(turn: Turn<P>, head: Head, electorate: Electorate): void {
  turn.change({ ...FRESH_HEIGHT, head, electorate, view: { sequence: head.number + 1, round: 0 } });
  restartTimer(turn);
  proposeIfDue(turn);
}

/** Enough want a round: it begins. */
export function startRound<P extends Proposal>(turn: Turn<P>, round: number): void {
  const { view } = turn.state;
  turn.change({
    ...FRESH_VIEW,
    view: { ...view, round },
    started: round,
    waiting: false,
    roundChanges: new Map(),
  });
  restartTimer(turn);
  proposeIfDue(turn);
}

/** We want a later round, and say so; a lock comes along with what it stands on. */
export function wantRound<P extends Proposal>(turn: Turn<P>, round: number): void {
  const { view, roundChanges } = turn.state;
  if (round <= view.round) return;
  const later = [...roundChanges].map(
    ([sender, rounds]) => [sender, rounds.filter((r) => r >= round)] as const,
  );
  turn.change({
    ...FRESH_VIEW,
    view: { ...view, round },
    waiting: true,
    roundChanges: new Map(later.filter(([, rounds]) => rounds.length > 0)),
  });
  restartTimer(turn);
  sayWish(turn);
}

/** Goes on after a restart: at the beginning of the height, or waiting for the round in which something was signed. */
export function resumeRound<P extends Proposal>(
  turn: Turn<P>,
  round: number,
  lock: RoundState<P>["lock"],
): void {
  const { view } = turn.state;
  turn.change({ lock, view: { ...view, round }, started: round, waiting: round > 0 });
  restartTimer(turn);
  if (round > 0) sayWish(turn);
  else proposeIfDue(turn);
}

function sayWish<P extends Proposal>(turn: Turn<P>): void {
  const { view, head, lock } = turn.state;
  say(turn, { kind: "round-change", view, digest: NO_DIGEST, parent: head.hash });
  if (lock !== undefined) turn.act({ type: "remind", letters: lock.proof });
}

/** This round leads nowhere. */
export function wantNextRound<P extends Proposal>(turn: Turn<P>): void {
  wantRound(turn, turn.state.view.round + 1);
}

/** Proposes the block that we are bound to, or our own; asks for one when there is none. */
export function proposeIfDue<P extends Proposal>(turn: Turn<P>): void {
  const { self, view, electorate, waiting, phase, lock, candidate } = turn.state;
  if (waiting || phase !== "accepting" || electorate.proposer(view.round) !== self) return;
  const proposal = lock?.proposal ?? candidate;
  if (proposal !== undefined) say(turn, { kind: "preprepare", view, proposal });
  else turn.act({ type: "build", view });
}

function restartTimer<P extends Proposal>(turn: Turn<P>): void {
  const { view } = turn.state;
  turn.act({ type: "timer", view, ms: timeoutMs(view.round) });
}
