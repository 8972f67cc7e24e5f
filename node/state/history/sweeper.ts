/** The background task that sweeps. */
import type { Log } from "../../observe/log.ts";
import type { Store } from "../../store/store.ts";
import type { History } from "./history.ts";
import { sweepDestroyed, sweepIndex } from "./sweep.ts";

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

  constructor(chain: Store, history: History, log: Log, closing: AbortSignal) {
    this.#chain = chain;
    this.#history = history;
    this.#log = log;
    this.#closing = closing;
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
      const slots = await sweepDestroyed(parts, storage);
      this.#swept = storage;
      if (slots > 0) this.#log.debug({ slots, upTo: storage }, "swept storage of destroyed accounts");
    }
    const index = this.#indexBound();
    if (index === undefined) return;
    const batch = this.#chain.createBatch();
    this.#history.forgetBefore(index, batch);
    if (batch.size > 0) await this.#chain.write(batch, { sync: false });
    const pages = await sweepIndex(parts, index);
    this.#isIndexClean = true;
    if (pages > 0) this.#log.debug({ pages, upTo: index }, "swept the index of changes");
  }

  /** The block before which the index can be emptied; `undefined` while that is not worth reading all of it. */
  #indexBound(): number | undefined {
    const { mode, oldest } = this.#history;
    if (mode === undefined) return this.#isIndexClean ? undefined : Number.MAX_SAFE_INTEGER;
    if (mode.archive) return undefined;
    return oldest - mode.from >= mode.retention / 4 ? oldest : undefined;
  }
}
