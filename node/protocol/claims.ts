/** Claimed heads of peers, and the selection of a peer to synchronise with. Pure. */
import type { ChainPeer, HeadClaim } from "./chain-peer.ts";
import type { Standing } from "./claim-records.ts";

/** Fields of a peer that tell whether it is ahead. */
export type Claimant = Pick<ChainPeer, "claim" | "aheadSince">;

/** A peer and the reasons to follow it. */
export interface LeaderCandidate<P extends Claimant> {
  readonly peer: P;
  /** True for a validator among the peers of a consensus node. */
  readonly isValidator: boolean;
  readonly standing: Standing;
  /** Blocks that it has delivered. */
  readonly delivered: number;
  /** Time of its connection, or at which it was last followed. */
  readonly turn: number;
}

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
 * Returns true for a peer that is ahead of `tip`. A peer that got ahead by an announcement counts only after `graceMs`,
 * because the block itself may be under way.
 */
export function isAhead({ claim, aheadSince }: Claimant, { tip, now }: TipAndTime, graceMs: number): boolean {
  return claim.number > tip && now - aheadSince >= graceMs;
}

/**
 * Returns the candidate to follow. Anybody can claim any head, so those come first that have delivered most, validators
 * before others; the claim counts among equals only. Those without a good record take turns: newcomers with ever new keys
 * wait behind the others.
 */
export function chooseLeader<C extends LeaderCandidate<Claimant>>(ahead: readonly C[]): C | undefined {
  return ahead.reduce<C | undefined>(
    (best, each) => (best === undefined || order(each, best) < 0 ? each : best),
    undefined,
  );
}

function order(a: LeaderCandidate<Claimant>, b: LeaderCandidate<Claimant>): number {
  const byRank = rank(a) - rank(b);
  if (byRank !== 0) return byRank;
  if (a.standing !== "known") return a.turn - b.turn;
  return b.delivered - a.delivered || b.peer.claim.number - a.peer.claim.number;
}

function rank({ standing, isValidator }: LeaderCandidate<Claimant>): number {
  if (standing !== "known") return 2;
  return isValidator ? 0 : 1;
}

/** Returns true when a leader that delivers nothing is left for `other`: one that has earned more. */
export function isPreferred(other: LeaderCandidate<Claimant>, leader: LeaderCandidate<Claimant>): boolean {
  if (other.standing !== "known") return false;
  const byRank = rank(other) - rank(leader);
  return byRank < 0 || (byRank === 0 && other.delivered > leader.delivered);
}
