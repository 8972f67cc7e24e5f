/** Whether a message can still change anything, asked before its signatures are checked: that is what one costs. */
import type { ConsensusMessage, Proposal } from "./message.ts";
import type { RoundState } from "./round-state.ts";
import { compareViews } from "./view.ts";

/** False of strangers' messages, of heights that are over, and of votes after enough have voted so. */
export function isRelevant<P extends Proposal>(
  { validators, view, phase, proposal, waiting }: RoundState<P>,
  { sender, payload }: Pick<ConsensusMessage<P>, "sender" | "payload">,
): boolean {
  if (!validators.qualified.has(sender) || payload.view.sequence < view.sequence) return false;
  if (payload.kind === "preprepare" || waiting || compareViews(payload.view, view) !== 0) return true;
  if (payload.digest !== proposal?.hash) return true;
  return payload.kind === "prepare" ? phase === "preprepared" : phase !== "committed";
}
