/** Blocks of peers that are ahead of this clock: one now and then is nothing, one after the other is a wrong clock. */

import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";

/** Blocks that come early without so long a pause between them belong together. */
const PAUSE_MS = 10_000;
/** So long they come before it is said. */
const LEAST_MS = 30_000;
const TOLD_EVERY_MS = 60_000;

/** Warns once a minute while they keep coming early; says one alone to whoever debugs. */
export class EarlyBlocks {
  readonly #clock: Clock;
  readonly #log: Log;
  #first = 0;
  #last = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A peer's block was refused for its time, as the error says. */
  tell(peer: string, error: unknown): void {
    const now = this.#clock.now();
    if (now - this.#last > PAUSE_MS) this.#first = now;
    this.#last = now;
    if (now - this.#first < LEAST_MS || now - this.#toldAt < TOLD_EVERY_MS) {
      this.#log.debug({ error, peer }, "a block is ahead of our clock");
      return;
    }
    this.#toldAt = now;
    this.#log.warn(
      { error, peer, now: new Date(now).toISOString() },
      "blocks of peers keep being ahead of this clock: set it; they are taken when their time has come",
    );
  }
}
