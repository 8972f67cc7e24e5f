/**
 * Log of peers' blocks whose time lies ahead of the local clock. A single one is harmless, a series means a
 * wrong clock.
 */
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";

/** Interval without a future block that ends a series, in milliseconds. */
const PAUSE_MS = 10_000;
/** Duration of a series before the first warning, in milliseconds. */
const WARN_AFTER_MS = 30_000;
const WARN_INTERVAL_MS = 60_000;

/** Logs a warning every minute during a series, and single blocks at debug level. */
export class FutureBlockLog {
  readonly #clock: Clock;
  readonly #log: Log;
  #first = 0;
  #last = Number.NEGATIVE_INFINITY;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Reports a peer's block that was refused because of its time. */
  report(peer: string, error: unknown): void {
    const now = this.#clock.now();
    if (now - this.#last > PAUSE_MS) this.#first = now;
    this.#last = now;
    if (now - this.#first < WARN_AFTER_MS || now - this.#warnedAt < WARN_INTERVAL_MS) {
      this.#log.debug({ error, peer }, "block time is ahead of the local clock");
      return;
    }
    this.#warnedAt = now;
    this.#log.warn(
      { error, peer, now: new Date(now).toISOString() },
      "block times of peers stay ahead of the local clock; correct the clock; the blocks are imported at their time",
    );
  }
}
