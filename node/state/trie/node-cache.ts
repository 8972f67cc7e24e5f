/** The clean trie nodes in memory, kept over restarts in a file when somebody asks for it or time comes. */
import { setTimeout } from "node:timers/promises";
import type { Log } from "../../observe/log.ts";
import { MAX_TIMER_MS } from "../../runtime/clock.ts";
import { loadNodes, SavedNodesError, saveNodes } from "./node-cache-file.ts";
import { Slab } from "./slab.ts";

/** Settings of the cache. */
export interface NodeCacheSettings {
  readonly log: Log;
  /** Memory for clean trie nodes; 0: none are kept. */
  readonly bytes: number;
  /** Path of the saved nodes. */
  readonly path: string;
  /** Milliseconds from one saving to the next; 0: only when asked. */
  readonly saveMs: number;
}

/** Answer to a request to save; `off`: no nodes are cached. */
export type SaveStart = "started" | "running" | "off";

/** Status of saving: true while one runs, and the result of the last one since the start. */
export interface SaveStatus {
  readonly isSaving: boolean;
  /** Bytes of the file; 0 when none was written. */
  readonly bytes: number;
  /** Error of the last saving; undefined when it succeeded. */
  readonly error: string | undefined;
}

/**
 * Clean trie nodes in memory with their file. Disposing it cancels a running save and leaves the file as it
 * is.
 */
export class NodeCache implements AsyncDisposable {
  readonly slab: Slab | undefined;
  readonly #settings: NodeCacheSettings;
  readonly #closing = new AbortController();
  readonly #background: Promise<unknown>;
  #saving: Promise<void> | undefined;
  #ended: Omit<SaveStatus, "isSaving"> = { bytes: 0, error: undefined };

  /** Starts to load what was saved, behind everything else. */
  constructor(settings: NodeCacheSettings) {
    this.#settings = settings;
    this.slab = settings.bytes === 0 ? undefined : new Slab(settings.bytes);
    this.#background = this.#load().then(() => this.#savePeriodically());
  }

  /** Starts to write the nodes to the file; the log says how it ended. */
  save(): SaveStart {
    if (this.slab === undefined) return "off";
    if (this.#saving !== undefined) return "running";
    this.#saving = this.#save(this.slab).finally(() => (this.#saving = undefined));
    return "started";
  }

  /** Status of saving. */
  get status(): SaveStatus {
    return { isSaving: this.#saving !== undefined, ...this.#ended };
  }

  async #save(slab: Slab): Promise<void> {
    const { log, path } = this.#settings;
    const started = performance.now();
    try {
      const bytes = await saveNodes(path, slab, this.#closing.signal);
      this.#ended = { bytes, error: undefined };
      log.info({ path, bytes, ms: Math.round(performance.now() - started) }, "saved trie nodes");
    } catch (error) {
      this.#ended = { bytes: 0, error: (error as Error).message }; // the file system's, or the signal's reason
      if (!this.#closing.signal.aborted) log.warn({ path, error }, "trie nodes not saved");
    }
  }

  async #load(): Promise<void> {
    const { log, path } = this.#settings;
    if (this.slab === undefined) return;
    const started = performance.now();
    try {
      const nodes = await loadNodes(path, this.slab, this.#closing.signal);
      if (nodes === undefined) return;
      log.info({ path, nodes, ms: Math.round(performance.now() - started) }, "loaded trie nodes");
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const what = error instanceof SavedNodesError ? "saved trie nodes are damaged" : "cannot be read";
      log.warn({ path, error }, `${what}: starting without them`);
    }
  }

  /** The first time after some part of the period, so that not all nodes of a network save at once. */
  async #savePeriodically(): Promise<void> {
    const period = Math.min(this.#settings.saveMs, MAX_TIMER_MS);
    if (period === 0) return;
    const { signal } = this.#closing;
    try {
      await setTimeout(period * (0.5 + Math.random() / 2), undefined, { signal, ref: false });
      while (this.save() !== "off") await setTimeout(period, undefined, { signal, ref: false });
    } catch {
      // closed
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#background;
    await this.#saving;
  }
}
