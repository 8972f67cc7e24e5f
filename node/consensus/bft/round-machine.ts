/**
 * The agreement on blocks (Istanbul BFT) as a pure function: a state and an event go in, a state and actions come
 * out. It knows no clock, no disk and no network; whoever runs it makes what was signed durable before anything of
 * it is sent, and answers `build`, `judge`, `timer` and `commit` with the events of the same step of the agreement.
 */
import { putAside, takeDue } from "./backlog.ts";
import { takeDoubt } from "./doubts.ts";
import { isVote, type Letter, type Proposal, type Statement } from "./letter.ts";
import { takeCandidate, takeJudgement, takeProposal } from "./proposals.ts";
import { takeRoundChange, takeTimeout } from "./round-changes.ts";
import {
  type Electorate,
  type Head,
  initialState,
  type Remembered,
  type RoundEvent,
  type RoundState,
  type Step,
} from "./round-state.ts";
import { resumeRound, startHeight } from "./rounds.ts";
import { Turn } from "./turn.ts";
import { compareViews } from "./view.ts";
import { dropRefused, takeVote } from "./votes.ts";

/** What a validator begins with. */
export interface Beginning<P extends Proposal> extends Pick<RoundState<P>, "self" | "write"> {
  readonly head: Head;
  readonly electorate: Electorate;
  /** What it signed before it stopped. */
  readonly remembered?: Remembered<P> | undefined;
}

/** Begins to agree on the block after the head, where it was left off. */
export function beginRounds<P extends Proposal>(beginning: Beginning<P>): Step<P> {
  const { head, electorate, remembered } = beginning;
  const turn = new Turn(initialState(beginning, head, electorate));
  if (remembered !== undefined) turn.change({ signed: remembered.signed });
  const { view } = turn.state.signed;
  if (view.sequence === turn.state.view.sequence) resumeRound(turn, view.round, remembered?.lock);
  else startHeight(turn, head, electorate);
  return finish(turn);
}

/** One step. */
export function step<P extends Proposal>(state: RoundState<P>, event: RoundEvent<P>): Step<P> {
  const turn = new Turn(state);
  take(turn, event);
  return finish(turn);
}

function take<P extends Proposal>(turn: Turn<P>, event: RoundEvent<P>): void {
  switch (event.type) {
    case "head":
      if (event.head.number >= turn.state.view.sequence) startHeight(turn, event.head, event.electorate);
      return;
    case "candidate":
      return takeCandidate(turn, event.proposal);
    case "letter":
      turn.inbox.push(event.letter);
      return;
    case "judged":
      return takeJudgement(turn, event);
    case "timeout":
      return takeTimeout(turn, event.view);
    case "refused":
      return dropRefused(turn, event.hash);
  }
}

/** Handles all letters that can be handled now: each may be the one that others waited for. */
function finish<P extends Proposal>(turn: Turn<P>): Step<P> {
  do {
    for (let letter = turn.inbox.shift(); letter !== undefined; letter = turn.inbox.shift()) {
      if (handle(turn, letter)) turn.act({ type: "gossip", letter });
    }
    const { due, rest } = takeDue(
      turn.state.backlog,
      ({ statement }) => whenIs(turn.state, statement) === "future",
    );
    turn.change({ backlog: rest });
    turn.inbox.push(...due);
  } while (turn.inbox.length > 0);
  return { state: turn.state, actions: turn.actions };
}

/** True when the letter did something and others should have it. */
function handle<P extends Proposal>(turn: Turn<P>, letter: Letter<P>): boolean {
  const { statement } = letter;
  const { state } = turn;
  if (!state.electorate.qualified.has(letter.sender)) return false;
  const when = whenIs(state, statement);
  if (when === "future") {
    if (letter.sender !== state.self) turn.change({ backlog: putAside(state.backlog, letter, state.view) });
    return false;
  }
  if (!isVote(letter))
    return when === "now" && takeProposal(turn, letter, statement as Statement<P> & { kind: "preprepare" });
  if (when === "old") {
    takeDoubt(turn, letter);
    return false;
  }
  return letter.statement.kind === "round-change" ? takeRoundChange(turn, letter) : takeVote(turn, letter);
}

/** When a statement can be handled. */
function whenIs<P extends Proposal>(
  state: RoundState<P>,
  { kind, view }: Statement<P>,
): "old" | "now" | "future" {
  if (kind === "round-change" && view.sequence === state.view.sequence) {
    return view.round < state.view.round ? "old" : "now";
  }
  const order = compareViews(view, state.view);
  if (order !== 0) return order < 0 ? "old" : "future";
  if (state.waiting) return "future";
  return state.phase === "accepting" && kind !== "preprepare" ? "future" : "now";
}
