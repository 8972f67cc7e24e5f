/** Whether a letter can still change anything, asked before its signatures are checked: that is what one costs. */
import type { Letter, Proposal } from "./letter.ts";
import type { RoundState } from "./round-state.ts";
import { compareViews } from "./view.ts";

/** False of strangers' letters, of heights that are over, and of votes after enough have voted so. */
export function isOfUse<P extends Proposal>(
  { electorate, view, phase, proposal, waiting }: RoundState<P>,
  { sender, statement }: Pick<Letter<P>, "sender" | "statement">,
): boolean {
  if (!electorate.qualified.has(sender) || statement.view.sequence < view.sequence) return false;
  if (statement.kind === "preprepare" || waiting || compareViews(statement.view, view) !== 0) return true;
  if (statement.digest !== proposal?.hash) return true;
  return statement.kind === "prepare" ? phase === "preprepared" : phase !== "committed";
}
