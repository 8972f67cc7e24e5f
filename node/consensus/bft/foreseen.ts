/**
 * What may be signed next, written while the votes for it are on their way. In the first round alone: later ones are
 * slow anyhow, and of two nodes that come back bound to blocks without votes only the same proposer's can differ.
 */
import type { Proposal } from "./message.ts";
import type { DurableState, Lock, RoundState } from "./round-state.ts";
import { compareViews } from "./view.ts";

/** A block that we prepared, as if it had been committed: its lock stands on no votes yet. Undefined when none was. */
export function lockWrittenAhead<P extends Proposal>({
  view,
  signed,
  lock,
  proposal,
}: RoundState<P>): (DurableState<P> & { readonly lock: Lock<P> }) | undefined {
  if (view.round > 0 || lock !== undefined || proposal === undefined) return undefined;
  if (compareViews(signed.view, view) !== 0) return undefined;
  const { prepare, commit } = signed.digests;
  if (prepare !== proposal.hash || commit !== undefined) return undefined;
  const digests = { ...signed.digests, commit: proposal.hash };
  return { signed: { view, digests }, lock: { proposal, round: view.round, proof: [] } };
}
