/**
 * The end of a turn of the event loop, when what was answered in it is written. A write may wake the peer's process,
 * which costs more than a short call does; by the end of the turn the answers of many connections wake it once.
 */

/** What has something to write. */
export interface Flushed {
  flush(): void;
}

/** So many wait at most. */
const MAX_WAITING = 64;

/** See the file's header. */
export class ReplyTurn {
  #waiting: Flushed[] = [];

  /** Calls `flush` before the turn is over, or at once when many wait already. */
  add(outbox: Flushed): void {
    this.#waiting.push(outbox);
    if (this.#waiting.length === 1) setImmediate(this.flush);
    else if (this.#waiting.length >= MAX_WAITING) this.flush();
  }

  /** Calls them now. */
  readonly flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const outbox of waiting) outbox.flush();
  };
}
