/**
 * Who goes on next: long work that gives way to the rest of the node does so here. One waits for each turn of the
 * event loop, first come first served, so that however many work at once, others wait for one slice and not for all.
 */
export class Turns {
  readonly #waiting: ((value: undefined) => void)[] = [];
  #isScheduled = false;

  /** Whether somebody waits. */
  get areTaken(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves in a later turn of the event loop that is nobody else's. */
  next(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#waiting.shift()?.(undefined);
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
