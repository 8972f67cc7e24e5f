/**
 * The clock of a development chain: the machine's clock moved by an offset, and never before a time that blocks have
 * already reached.
 */
import type { Clock } from "./clock.ts";

/** A clock that callers move. Times are in milliseconds since the epoch. */
export class AdjustableClock implements Clock {
  readonly #source: Clock;
  /** Distance to the machine's clock without the offset. */
  #startMs = 0;
  #offsetMs = 0;
  #earliestMs = 0;

  constructor(source: Clock) {
    this.#source = source;
  }

  now(): number {
    return Math.max(this.#systemTime() + this.#offsetMs, this.#earliestMs);
  }

  /** Distance to the machine's clock, or to the time of the last restart and what has passed since, in milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Moves the clock by `ms`. */
  move(ms: number): void {
    this.#offsetMs += ms;
  }

  /** Sets the clock; it goes on from there. */
  set(ms: number): void {
    this.#offsetMs = ms - this.#systemTime();
  }

  /** Restarts at `ms`, without an offset. */
  restart(ms: number): void {
    this.#startMs = ms - this.#source.now();
    this.#offsetMs = 0;
    this.#earliestMs = ms;
  }

  #systemTime(): number {
    return this.#source.now() + this.#startMs;
  }

  /** Keeps the clock from showing a time before `ms`. */
  advanceTo(ms: number): void {
    this.#earliestMs = Math.max(this.#earliestMs, ms);
  }

  /** The same after the chain went back to a block of the time `ms`. */
  releaseTo(ms: number): void {
    this.#earliestMs = ms;
  }
}
