/** Claimed heads of peers, and the selection of a peer to synchronise with. Pure. */
import type { ChainPeer, HeadClaim } from "./chain-peer.ts";

/** Fields of a peer that the selection uses. */
export type Claimant = Pick<ChainPeer, "claim" | "aheadSince">;

/** Raises the claim of a peer after a message. A peer that was not ahead of `tip` is ahead from `now` on. */
export function raiseClaim(
  peer: Claimant & { claim: HeadClaim; aheadSince: number },
  claim: HeadClaim,
  when: TipAndTime,
): void {
  if (claim.number <= peer.claim.number) return;
  if (peer.claim.number <= when.tip) peer.aheadSince = when.now;
  peer.claim = claim;
}

/** Number of the local head block, and the current time in milliseconds. */
export interface TipAndTime {
  readonly tip: number;
  readonly now: number;
}

/**
 * Returns the peer that is farthest ahead of `tip`. A peer that got ahead by an announcement counts only
 * after `graceMs`, because the block itself may be under way.
 */
export function bestAhead<P extends Claimant>(
  peers: Iterable<P>,
  { tip, now }: TipAndTime,
  graceMs: number,
): P | undefined {
  let best: P | undefined;
  for (const peer of peers) {
    if (peer.claim.number <= tip || now - peer.aheadSince < graceMs) continue;
    if (best === undefined || peer.claim.number > best.claim.number) best = peer;
  }
  return best;
}
