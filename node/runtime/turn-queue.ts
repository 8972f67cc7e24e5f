/**
 * A queue for long work that shares the event loop: one waiting piece goes on in each turn, so that other work waits for
 * one slice however many pieces there are. Clients have equal shares of the turns (`fair-queue.ts`).
 */
import { type Client, FairQueue } from "./fair-queue.ts";

/** Turns of pieces of long work. */
export class TurnQueue {
  readonly #queue = new FairQueue<() => void>();
  #isScheduled = false;

  /** True while a piece of work waits. */
  get isContended(): boolean {
    return !this.#queue.isEmpty;
  }

  /** Resolves in a later turn of the event loop that no other piece of work has. */
  next(client: Client): Promise<undefined> {
    return new Promise((resolve) => {
      const account = this.#queue.accountOf(client);
      this.#queue.add(account, () => {
        this.#queue.charge(account, 1); // a turn
        resolve(undefined);
      });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#queue.take()();
      if (!this.#queue.isEmpty) this.#schedule();
    });
  }
}

/** The queue of everything long that the main thread does for callers: together it has one slice of a turn. */
export const callerTurns = new TurnQueue();
