/** The time of day, passed in so that tests and replays set it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Maximum delay of a Node.js timer, 24 days; a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Aborts after this many milliseconds, or after the longest delay that a timer takes. */
export function timeoutSignal(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(ms, MAX_TIMER_MS));
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
