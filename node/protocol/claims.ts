/** What peers say they have, and whom to ask: pure. */
import type { ChainPeer, Claim } from "./chain-peer.ts";

/** What the choice looks at. */
export type Claimant = Pick<ChainPeer, "claim" | "aheadSince">;

/** A peer says by a message that it has a newer block; one that was not ahead of `tip` is ahead from `now` on. */
export function raiseClaim(
  peer: Claimant & { claim: Claim; aheadSince: number },
  claim: Claim,
  when: When,
): void {
  if (claim.number <= peer.claim.number) return;
  if (peer.claim.number <= when.tip) peer.aheadSince = when.now;
  peer.claim = claim;
}

/** The number of our newest block, and the time in milliseconds. */
export interface When {
  readonly tip: number;
  readonly now: number;
}

/**
 * The peer that is farthest ahead of `tip`. One that got ahead by an announcement counts after `graceMs` only:
 * the block itself may be on its way.
 */
export function bestAhead<P extends Claimant>(
  peers: Iterable<P>,
  { tip, now }: When,
  graceMs: number,
): P | undefined {
  let best: P | undefined;
  for (const peer of peers) {
    if (peer.claim.number <= tip || now - peer.aheadSince < graceMs) continue;
    if (best === undefined || peer.claim.number > best.claim.number) best = peer;
  }
  return best;
}
