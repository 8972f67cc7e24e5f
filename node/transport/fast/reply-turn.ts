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
  /** Runs at the end of this turn, or of the next one that there is. */
  #end: NodeJS.Immediate | undefined;

  /** Calls `flush` before the turn is over, or at once when many wait already. */
  add(outbox: Flushed): void {
    this.#waiting.push(outbox);
    if (this.#waiting.length >= MAX_WAITING) this.flush();
    else if (this.#waiting.length === 1) this.#end = this.#end?.ref() ?? setImmediate(this.#over);
  }

  /** Calls them now. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const outbox of waiting) outbox.flush();
  }

  /**
   * While answers come it is always the first of what waits for the end of a turn: slices of long work that go on
   * there do not hold them up. It keeps no turn from waiting for events.
   */
  readonly #over = (): void => {
    const isBusy = this.#waiting.length > 0;
    this.flush();
    this.#end = isBusy ? setImmediate(this.#over).unref() : undefined;
  };
}
