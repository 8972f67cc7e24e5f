/**
 * The time that messages of all connections of a listener take in one turn of the event loop. When it is over,
 * connections wait in a queue and are answered one message each, so that nobody waits for all messages of another.
 */
import { Slice } from "../runtime/scheduler.ts";

/** A connection with messages that wait. */
export interface WaitingConnection {
  /** Answers one message; false when none is left. */
  answerNext(): boolean;
}

/** See the file's header. */
export class MessagePace {
  #queue: WaitingConnection[] = [];
  #slice: Slice | undefined;

  /** True when a message that comes now may be answered at once. */
  get mayAnswer(): boolean {
    if (this.#queue.length > 0) return false;
    if (this.#slice !== undefined) return !this.#slice.isOver;
    this.#begin();
    return true;
  }

  /** Has the connection answer its messages in later turns. It may wait once at a time. */
  add(connection: WaitingConnection): void {
    this.#queue.push(connection);
    if (this.#slice === undefined) this.#begin();
  }

  #begin(): void {
    this.#slice = new Slice("messages");
    setImmediate(this.#goOn);
  }

  readonly #goOn = (): void => {
    this.#slice = undefined;
    if (this.#queue.length === 0) return;
    this.#begin();
    const slice = new Slice("messages");
    const queue = this.#queue;
    const again: WaitingConnection[] = [];
    let next = 0;
    do {
      const connection = queue[next++];
      if (connection?.answerNext() === true) again.push(connection);
    } while (next < queue.length && !slice.isOver);
    this.#queue = [...queue.slice(next), ...again];
  };
}
