/** Start and end of heights and rounds: by quorum, by timeout, by a proposal that cannot be agreed on. */
import type { Proposal } from "./message.ts";
import {
  type BlockValidatorSet,
  type Head,
  INITIAL_HEIGHT_STATE,
  INITIAL_VIEW_STATE,
  type RoundState,
} from "./round-state.ts";
import { broadcast, type RoundTransition } from "./transition.ts";

/** Digest of a vote for no block. */
export const NO_DIGEST = "\0".repeat(32);

const TIMEOUT_MS = 10_000;
/** Rounds whose timeout doubles; the timeout of later rounds is the same. */
const MAX_DOUBLINGS = 20;

/**
 * Returns the timeout of a round in milliseconds (`consensus/istanbul/core/core.go@v2.2.2`,
 * newRoundChangeTimer).
 */
export function timeoutMs(round: number): number {
  return round === 0 ? TIMEOUT_MS : TIMEOUT_MS + 2 ** Math.min(round, MAX_DOUBLINGS) * 1000;
}

/** Starts the height after a new head. */
export function startHeight<P extends Proposal>(
  transition: RoundTransition<P>,
  head: Head,
  validators: BlockValidatorSet,
): void {
  transition.change({
    ...INITIAL_HEIGHT_STATE,
    head,
    validators,
    view: { sequence: head.number + 1, round: 0 },
  });
  restartTimer(transition);
  proposeIfDue(transition);
}

/** Starts a round that a quorum has voted for. */
export function startRound<P extends Proposal>(transition: RoundTransition<P>, round: number): void {
  const { view } = transition.state;
  transition.change({
    ...INITIAL_VIEW_STATE,
    view: { ...view, round },
    started: round,
    waiting: false,
    roundChanges: new Map(),
  });
  restartTimer(transition);
  proposeIfDue(transition);
}

/** Votes for a later round; a lock is sent along with its votes. */
export function sendRoundChange<P extends Proposal>(transition: RoundTransition<P>, round: number): void {
  const { view, roundChanges } = transition.state;
  if (round <= view.round) return;
  const later = [...roundChanges].map(
    ([sender, rounds]) => [sender, rounds.filter((r) => r >= round)] as const,
  );
  transition.change({
    ...INITIAL_VIEW_STATE,
    view: { ...view, round },
    waiting: true,
    roundChanges: new Map(later.filter(([, rounds]) => rounds.length > 0)),
  });
  restartTimer(transition);
  broadcastRoundChange(transition);
}

/** Resumes after a restart: starts the height, or waits for the round in which a message was signed. */
export function resumeRound<P extends Proposal>(
  transition: RoundTransition<P>,
  round: number,
  lock: RoundState<P>["lock"],
): void {
  const { view } = transition.state;
  transition.change({ lock, view: { ...view, round }, started: round, waiting: round > 0 });
  restartTimer(transition);
  if (round > 0) broadcastRoundChange(transition);
  else proposeIfDue(transition);
}

function broadcastRoundChange<P extends Proposal>(transition: RoundTransition<P>): void {
  const { view, head, lock } = transition.state;
  broadcast(transition, { kind: "round-change", view, digest: NO_DIGEST, parent: head.hash });
  if (lock !== undefined) transition.act({ type: "resend", messages: lock.proof });
}

/** Votes for the next round. */
export function sendNextRoundChange<P extends Proposal>(transition: RoundTransition<P>): void {
  sendRoundChange(transition, transition.state.view.round + 1);
}

/** Proposes the locked block or the own one; requests a block when there is none. */
export function proposeIfDue<P extends Proposal>(transition: RoundTransition<P>): void {
  const { self, view, validators, waiting, phase, lock, candidate } = transition.state;
  if (waiting || phase !== "accepting" || validators.proposer(view.round) !== self) return;
  const proposal = lock?.proposal ?? candidate;
  if (proposal !== undefined) broadcast(transition, { kind: "preprepare", view, proposal });
  else transition.act({ type: "build", view });
}

function restartTimer<P extends Proposal>(transition: RoundTransition<P>): void {
  const { view } = transition.state;
  transition.act({ type: "timer", view, ms: timeoutMs(view.round) });
}
