/** Time, passed in so that tests decide what time it is. */
import { setTimeout as wait } from "node:timers/promises";

/** The time of day. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds that only go forward, however the clock is set: for how long things last. */
export function elapsed(): number {
  return performance.now();
}

/** A time of day as objects of Kubernetes have it: RFC 3339, whole seconds. */
export function instant(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Waits; rejects when the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal });
}
