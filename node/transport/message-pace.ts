/**
 * The time that the messages of all connections of a listener may take in one turn of the event loop. After
 * that, connections wait in a queue and get one message each answered in turn, so that no connection delays
 * the others.
 */
import { Slice } from "../runtime/scheduler.ts";

/** A connection with unanswered messages. */
export interface WaitingConnection {
  /** Answers one message; false when none is left. */
  answerNext(): boolean;
}

/** The time and the queue of one listener. */
export class MessagePace {
  #queue: WaitingConnection[] = [];
  #slice: Slice | undefined;

  /** True when a message may be answered in the current turn. */
  get mayAnswer(): boolean {
    if (this.#queue.length > 0) return false;
    if (this.#slice !== undefined) return !this.#slice.isOver;
    this.#begin();
    return true;
  }

  /** Queues a connection, whose messages are answered in later turns. It may be queued once at a time. */
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
