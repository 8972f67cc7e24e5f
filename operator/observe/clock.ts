/** Clocks, passed as dependencies so that tests control the time. */
import { setTimeout as wait } from "node:timers/promises";

/** A wall clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Returns the monotonic time in milliseconds, for durations. */
export function monotonicMs(): number {
  return performance.now();
}

/** Formats a time as Kubernetes does: RFC 3339 with whole seconds. */
export function formatInstant(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Waits; rejects when the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal });
}
