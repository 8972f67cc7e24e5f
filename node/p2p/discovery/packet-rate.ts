/**
 * Rate limits of incoming discovery packets, per address and in total. A packet above the limit is dropped
 * before its signature is checked.
 */

import { subnetOf } from "../../bytes/ip.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { RateBudget } from "../budget.ts";

/** Rate limits in packets. An address is an IPv4 address or the first 64 bits of an IPv6 one. */
export interface PacketRateLimits {
  readonly address: RateBudget;
  readonly all: RateBudget;
  /** Number of addresses that are tracked; the least recently seen is dropped first. */
  readonly addresses: number;
}

/**
 * Default limits. Checking a signature takes about 0.1 ms, so all packets together take at most a fifth of a
 * core.
 */
export const PACKET_RATE_LIMITS: PacketRateLimits = {
  address: { perSecond: 100, burst: 400 },
  all: { perSecond: 2000, burst: 4000 },
  addresses: 4096,
};

/** Counts a packet from an address. Returns false when it exceeds a limit. */
export type PacketRateLimiter = (ip: string) => boolean;

interface Bucket {
  left: number;
  last: number;
}

/** Creates a rate limiter with full buckets. */
export function createPacketRateLimiter(limits: PacketRateLimits, clock: Clock): PacketRateLimiter {
  const all: Bucket = { left: limits.all.burst, last: clock.now() };
  const addresses = new Map<string, Bucket>();
  return (ip) => {
    const now = clock.now();
    const key = ip.includes(":") ? subnetOf(ip) : ip;
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
