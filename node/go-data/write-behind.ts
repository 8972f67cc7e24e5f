/** Writes of an import: while one batch is being written the next one is filled. */

/** The write that is under way. Disposing waits until there is none, however it ends. */
export class WriteBehind implements AsyncDisposable {
  #writing: Promise<void> = Promise.resolve();

  /** Begins a write when the one before it has ended. Rejects when that one has failed. */
  async begin(write: () => Promise<void>): Promise<void> {
    await this.#writing;
    this.#writing = write();
    this.#writing.catch(() => undefined); // the next call meets it
  }

  /** Resolves when everything is written. Rejects when a write has failed. */
  async end(): Promise<void> {
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing.catch(() => undefined); // `begin` or `end` has met it
  }
}
