/**
 * Writes of an import: while one batch is being written the next one is filled. One of several is synced, and names how
 * far the import has come; after a crash those behind it are written again.
 */

/** Batches from one sync to the next. */
const BATCHES_A_SYNC = 8;

/** The write that is under way. Disposing waits until there is none, however it ends. */
export class WriteBehind implements AsyncDisposable {
  #writing: Promise<void> = Promise.resolve();
  /** The first batch is synced: from then on the databases say what they are. */
  #untilSync = 0;

  /** Returns true if the next batch is to be synced, and counts it. */
  countBatch(isLast: boolean): boolean {
    const isSynced = isLast || this.#untilSync === 0;
    this.#untilSync = isSynced ? BATCHES_A_SYNC - 1 : this.#untilSync - 1;
    return isSynced;
  }

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
