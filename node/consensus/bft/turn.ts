/** One step of the round machine while it is being made: the state so far, what is to be done, what is to be read. */
import type { Letter, Proposal, Statement, VoteLetter } from "./letter.ts";
import type { RoundAction, RoundState, Signed } from "./round-state.ts";
import { compareViews } from "./view.ts";

/** See the head of this file; nothing of it outlives the step. */
export class Turn<P extends Proposal> {
  state: RoundState<P>;
  readonly actions: RoundAction<P>[] = [];
  /** Letters to be handled in this step: our own, and those whose time has come. */
  readonly inbox: Letter<P>[] = [];

  constructor(state: RoundState<P>) {
    this.state = state;
  }

  change(parts: Partial<RoundState<P>>): void {
    this.state = { ...this.state, ...parts };
  }

  act(action: RoundAction<P>): void {
    this.actions.push(action);
  }
}

/**
 * Says something, to ourselves first: it goes out when it was handled here. Only what does not contradict
 * anything signed before is signed.
 */
export function say<P extends Proposal>(turn: Turn<P>, statement: Statement<P>): void {
  const { self, electorate, signed, write } = turn.state;
  const next = signedWith(signed, statement);
  if (next === undefined || !electorate.qualified.has(self)) return;
  turn.change({ signed: next });
  turn.inbox.push(write(statement));
}

/** The same for those who say something of a block: the members of the round's committee. */
export function sayOfBlock<P extends Proposal>(turn: Turn<P>, kind: "prepare" | "commit", proposal: P): void {
  const { self, electorate, view } = turn.state;
  if (!electorate.committee(view.round).has(self)) return;
  say(turn, { kind, view, digest: proposal.hash, parent: proposal.parent });
}

/** What is signed once this is, too; undefined where that would be a contradiction. */
function signedWith<P extends Proposal>(signed: Signed, statement: Statement<P>): Signed | undefined {
  const { kind, view } = statement;
  const digest = statement.kind === "preprepare" ? statement.proposal.hash : statement.digest;
  const order = compareViews(view, signed.view);
  if (order < 0) return undefined;
  const digests = order === 0 ? signed.digests : {};
  const before = digests[kind];
  return before === undefined || before === digest
    ? { view, digests: { ...digests, [kind]: digest } }
    : undefined;
}

/** The same votes with one more; a later one of a sender takes the place of an earlier one. */
export function withVote<P>(
  votes: ReadonlyMap<string, VoteLetter<P>>,
  letter: VoteLetter<P>,
): ReadonlyMap<string, VoteLetter<P>> {
  return new Map(votes).set(letter.sender, letter);
}
