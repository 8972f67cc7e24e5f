/**
 * The end of a turn of the event loop, at which the answers of the turn are written. A write may wake the
 * process of the peer, which costs more than a short call; at the end of the turn the answers of many
 * connections wake it once.
 */

/** An outbox with gathered texts. */
export interface Flushed {
  flush(): void;
}

/** Maximum outboxes that wait. */
const MAX_WAITING = 64;

/** The outboxes to be flushed at the end of the turn. */
export class ReplyTurn {
  #waiting: Flushed[] = [];
  /** Callback at the end of this turn or of the next one. */
  #end: NodeJS.Immediate | undefined;

  /** Has an outbox flushed before the turn ends, or at once when many wait already. */
  add(outbox: Flushed): void {
    this.#waiting.push(outbox);
    if (this.#waiting.length >= MAX_WAITING) this.flush();
    else if (this.#waiting.length === 1) this.#end = this.#end?.ref() ?? setImmediate(this.#over);
  }

  /** Flushes all outboxes. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const outbox of waiting) outbox.flush();
  }

  /**
   * Runs first among the callbacks at the end of a turn, so that slices of long work do not delay answers. It
   * does not keep a turn from waiting for events.
   */
  readonly #over = (): void => {
    const isBusy = this.#waiting.length > 0;
    this.flush();
    this.#end = isBusy ? setImmediate(this.#over).unref() : undefined;
  };
}
