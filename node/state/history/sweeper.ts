/** The background task that sweeps. */
import type { Log } from "../../observe/log.ts";
import type { Store } from "../../store/store.ts";
import type { History } from "./history.ts";
import { hasDestroyed, sweepDestroyed, sweepIndex } from "./sweep.ts";

/** Sweeps in the background, one sweep at a time. */
export class Sweeper {
  readonly #chain: Store;
  readonly #history: History;
  readonly #log: Log;
  readonly #closing: AbortSignal;
  #running: Promise<void> | undefined;
  /** Up to which block storage was swept. */
  #swept = -1;
  #isIndexClean = false;
  /** Up to which block the index was swept, as far as is known. */
  #indexSwept: number;

  constructor(chain: Store, history: History, log: Log, closing: AbortSignal) {
    this.#chain = chain;
    this.#history = history;
    this.#log = log;
    this.#closing = closing;
    this.#indexSwept = history.mode?.from ?? 0;
  }

  /** Resolves when nothing is being swept. */
  get idle(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /**
   * Starts a sweep of what is due. `trie` is the trie database; storage that blocks up to `passed` destroyed can go:
   * their undo records went with a batch that is durable.
   */
  start(trie: Store, passed: number): void {
    if (this.#running !== undefined || this.#closing.aborted) return;
    this.#running = this.#sweep(trie, passed)
      .catch((error: unknown) => {
        // the rows that name the work are still there
        if (!this.#closing.aborted) this.#log.warn({ error }, "sweep of old state interrupted");
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #sweep(trie: Store, passed: number): Promise<void> {
    const parts = { chain: this.#chain, trie, signal: this.#closing };
    const storage = Math.min(this.#history.oldest, passed);
    if (this.#history.mode?.archive !== true && storage > this.#swept) {
      if (await hasDestroyed(this.#chain, storage)) await this.#forgetBefore(storage);
      const slots = await sweepDestroyed(parts, storage);
      this.#swept = storage;
      if (slots > 0) this.#log.debug({ slots, upTo: storage }, "swept storage of destroyed accounts");
    }
    const index = this.#indexBound();
    if (index === undefined) return;
    await this.#forgetBefore(index);
    const pages = await sweepIndex(parts, index);
    this.#isIndexClean = true;
    this.#indexSwept = index;
    if (pages > 0) this.#log.debug({ pages, upTo: index }, "swept the index of changes");
  }

  /**
   * Names the oldest state that stays before anything of an earlier one is deleted: a longer retention or a rewind could
   * reach back to it. On disk when it resolves.
   */
  async #forgetBefore(oldest: number): Promise<void> {
    const batch = this.#chain.createBatch();
    this.#history.forgetBefore(oldest, batch);
    if (batch.size > 0) await this.#chain.write(batch, { sync: true });
  }

  /** The block before which the index can be emptied; `undefined` while that is not worth reading all of it. */
  #indexBound(): number | undefined {
    const { mode, oldest } = this.#history;
    if (mode === undefined) return this.#isIndexClean ? undefined : Number.MAX_SAFE_INTEGER;
    if (mode.archive) return undefined;
    return oldest - this.#indexSwept >= mode.retention / 4 ? oldest : undefined;
  }
}
