/** Rate limits by owner, such as an address, and of all owners together. */
import type { Clock } from "./clock.ts";
import { RecentMap } from "./recent-map.ts";

/** A token-bucket rate: `perSecond` on average, `burst` at once. */
export interface RateBudget {
  readonly perSecond: number;
  readonly burst: number;
}

/** Rates of an owner and of all owners. */
export interface OwnerRates {
  readonly each: RateBudget;
  /** No common limit when absent. */
  readonly all?: RateBudget;
  /** Number of owners, the most recently seen, that are tracked at least; twice as many are at most. */
  readonly owners: number;
}

/** Counts an event of an owner. Returns false when it exceeds a limit. */
export type OwnerRate = (owner: string) => boolean;

interface Bucket {
  left: number;
  last: number;
}

/** Creates the limits with full buckets. */
export function createOwnerRate({ each, all, owners: max }: OwnerRates, clock: Clock): OwnerRate {
  const common: Bucket = { left: all?.burst ?? 0, last: clock.now() };
  const owners = new RecentMap<Bucket>(2 * max);
  return (owner) => {
    const now = clock.now();
    let own = owners.get(owner);
    if (own === undefined) {
      own = { left: each.burst, last: now };
      owners.set(owner, own);
    }
    return take(own, each, now) && (all === undefined || take(common, all, now));
  };
}

function take(bucket: Bucket, { perSecond, burst }: RateBudget, now: number): boolean {
  const earned = (Math.max(0, now - bucket.last) / 1000) * perSecond;
  bucket.left = Math.min(burst, bucket.left + earned);
  bucket.last = now;
  if (bucket.left < 1) return false;
  bucket.left--;
  return true;
}
