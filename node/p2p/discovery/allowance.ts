/** How many packets are looked at: of each address, and of all together. What is above is dropped unread. */
import type { Clock } from "../../runtime/clock.ts";
import type { RateBudget } from "../budget.ts";
import { neighbourhood } from "../ip.ts";

/** The limits. An address is an IPv4 address, or 64 bits of an IPv6 one. */
export interface AllowanceLimits {
  readonly address: RateBudget;
  readonly all: RateBudget;
  /** Addresses that are remembered; the one heard of longest ago is forgotten first. */
  readonly addresses: number;
}

/** What a node uses: a signature takes about 0.1 ms to check, so all packets together take a fifth of a core. */
export const ALLOWANCE: AllowanceLimits = {
  address: { perSecond: 100, burst: 400 },
  all: { perSecond: 2000, burst: 4000 },
  addresses: 4096,
};

/** True when a packet from the address may be looked at; it is counted then. */
export type Allowance = (ip: string) => boolean;

interface Bucket {
  left: number;
  last: number;
}

/** An allowance that is not used yet. */
export function createAllowance(limits: AllowanceLimits, clock: Clock): Allowance {
  const all: Bucket = { left: limits.all.burst, last: clock.now() };
  const addresses = new Map<string, Bucket>();
  return (ip) => {
    const now = clock.now();
    const key = ip.includes(":") ? neighbourhood(ip) : ip;
    const own = addresses.get(key) ?? { left: limits.address.burst, last: now };
    addresses.delete(key);
    addresses.set(key, own);
    if (addresses.size > limits.addresses) addresses.delete(addresses.keys().next().value ?? "");
    return take(own, limits.address, now) && take(all, limits.all, now);
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
