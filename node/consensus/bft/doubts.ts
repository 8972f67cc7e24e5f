/**
 * How a lock gives way: when enough voted for another block in a later round. Whoever is locked repeats the votes
 * that its lock stands on with each round change, so everybody comes to see the latest quorum; without that, two
 * validators locked on different blocks could stop the chain for good. It is safe: had the locked block been
 * committed, too many would be bound to it for another one to get a quorum.
 */
import type { Proposal, VoteLetter } from "./letter.ts";
import type { Lock } from "./round-state.ts";
import type { Turn } from "./turn.ts";

/** Votes of one sender that are remembered. */
const KEPT_DOUBTS = 16;

/** A vote of this round or a past one of the height that is not for our block. */
export function takeDoubt<P extends Proposal>(turn: Turn<P>, letter: VoteLetter<P>): void {
  const { lock, view, electorate, doubts } = turn.state;
  const { statement, sender } = letter;
  if (lock === undefined || statement.kind === "round-change") return;
  const { round } = statement.view;
  if (statement.view.sequence !== view.sequence || round < firstDoubted(lock)) return;
  if (statement.digest === lock.proposal.hash || !electorate.committee(round).has(sender)) return;
  const known = doubts.get(sender) ?? [];
  const others = known.filter((each) => !agree(each, letter)).slice(1 - KEPT_DOUBTS);
  const next = new Map(doubts).set(sender, [...others, letter]);
  const doubters = [...next.values()].filter((letters) => letters.some((each) => agree(each, letter)));
  if (doubters.length < electorate.required) turn.change({ doubts: next });
  else turn.change({ doubts: new Map(), lock: undefined });
}

/** A lock that stands on no votes was foreseen: a quorum of its own round for another block shows that it has none. */
function firstDoubted<P>({ round, proof }: Lock<P>): number {
  return proof.length === 0 ? round : round + 1;
}

function agree<P>({ statement: a }: VoteLetter<P>, { statement: b }: VoteLetter<P>): boolean {
  return a.view.round === b.view.round && a.digest === b.digest;
}
