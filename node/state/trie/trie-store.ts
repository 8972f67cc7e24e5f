/** The tries on disk: catching up at start, flushing, rebuilding and changing the generation. */
import { setTimeout } from "node:timers/promises";
import { equalBytes } from "../../bytes/compare.ts";
import { fixedBytes } from "../../bytes/integer.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import type { Log } from "../../observe/log.ts";
import { runInSlices } from "../../runtime/scheduler.ts";
import { StoreError } from "../../store/error.ts";
import type { Batch, Store } from "../../store/store.ts";
import { StateError } from "../error.ts";
import {
  encodeMarker,
  GENERATION_KEY,
  MARKER_KEY,
  type Point,
  readGeneration,
  readHead,
  readMarker,
  type StateHead,
} from "../rows.ts";
import type { TrieStores } from "./generations.ts";
import { rebuildTries } from "./rebuild.ts";
import { catchUp } from "./recovery.ts";
import type { Slab } from "./slab.ts";
import { TrieSet } from "./trie-set.ts";

/** Stores and settings of the tries. */
export interface TrieStoreSettings {
  readonly chain: Store;
  readonly trie: TrieStores;
  readonly log: Log;
  readonly slab: Slab | undefined;
  readonly patienceMs: number;
}

/** Changed nodes that went to disk since the start, and how long it took the last time, in milliseconds. */
export interface Flushes {
  readonly lastMs: number;
  readonly rows: number;
  readonly bytes: number;
}

/** A flush on its way: its block, when it began in milliseconds, and when the chain database has that block. */
interface Flush {
  readonly head: Point;
  readonly started: number;
  readonly synced: Promise<void> | undefined;
}

/**
 * The tries and the database that holds them: which generation is valid, up to which block it is written, and
 * how it comes to the head again. The tries in memory may be ahead of the database, never of the flat state.
 */
export class TrieStore {
  /** The flat state's head when this was opened. */
  readonly head: StateHead;
  readonly #settings: TrieStoreSettings;
  #generation: number;
  /** Set while the database is still being opened. */
  #opening: Promise<Store | undefined> | undefined;
  /** `undefined` before it is open, and when it could not be opened. */
  #store: Store | undefined;
  #marker: Point | undefined;
  #tries: TrieSet;
  #flushes: Flushes = { lastMs: 0, rows: 0, bytes: 0 };
  /** The gathered part of the next flush, of the present tries. */
  #gathered: Batch | undefined;
  /** A flush that waits for the chain database. */
  #waiting: Batch | undefined;
  /** Ends the readers of the database in other threads, which use its block cache. */
  #endReaders: () => Promise<void> = () => Promise.resolve();
  /** The removal of the generation before a rebuilt one. */
  #removal: Promise<void> | undefined;

  constructor(settings: TrieStoreSettings, generation: number, opening: Opening) {
    this.head = readHead(settings.chain);
    this.#settings = settings;
    this.#generation = generation;
    if (opening.isOpen) this.#store = opening.store;
    else this.#opening = opening.later;
    this.#marker = this.#store && readMarker(this.#store);
    this.#tries = this.#storedTries();
  }

  /** Number of the trie directory in use. */
  get generation(): number {
    return this.#generation;
  }

  get tries(): TrieSet {
    return this.#tries;
  }

  /** The block whose tries are on disk; `undefined` where none is. */
  get marker(): number | undefined {
    return this.#marker?.number;
  }

  /** Counts of written nodes. */
  get flushes(): Flushes {
    return this.#flushes;
  }

  /** The open trie database. */
  get store(): Store {
    if (this.#store === undefined) throw new StateError("not-ready", "the trie is being opened or rebuilt");
    return this.#store;
  }

  /** The trie database; `undefined` while it is not open. */
  get opened(): Store | undefined {
    return this.#store;
  }

  /** Calls `end` before a former generation is closed, which waits for it. */
  beforeClose(end: () => Promise<void>): void {
    this.#endReaders = end;
  }

  /** True when the stored tries are those of `head` as far as one can see without reading them. */
  isAt(head: Point): boolean {
    if (this.#store === undefined || this.#store.damage !== undefined) return false;
    if (this.#marker === undefined) return head.number < 0;
    return this.#marker.number === head.number && equalBytes(this.#marker.root, head.root);
  }

  /** Brings the stored tries to `head`, from the undo records or else from the flat state. */
  async catchUp(head: Point, signal: AbortSignal): Promise<void> {
    const { log, chain } = this.#settings;
    if (this.#opening !== undefined) {
      await this.#finishOpening();
      if (this.isAt(head)) return;
    }
    const marker = this.#marker;
    if (marker !== undefined && marker.number > head.number) {
      const lost = { trie: marker.number, number: head.number };
      log.error(
        lost,
        "chain database has lost blocks that were on disk, continuing at the newest remaining block",
      );
    }
    if (
      this.#store === undefined ||
      this.#store.damage !== undefined ||
      marker === undefined ||
      marker.number > head.number
    ) {
      return this.rebuild(head, signal);
    }
    try {
      await runInSlices(catchUp(chain, this.#tries, marker, head), signal);
      log.info({ from: marker.number, to: head.number }, "trie caught up with the flat state");
    } catch (error) {
      if (!isDamage(error)) throw error;
      log.warn({ marker: marker.number, head: head.number, error }, "stored trie is damaged");
      await this.rebuild(head, signal);
    }
  }

  /** Makes the next generation from the flat state, switches to it and removes the present one. */
  async rebuild(head: Point, signal: AbortSignal): Promise<void> {
    const { chain, trie: stores, slab, log } = this.#settings;
    const started = performance.now();
    await this.#finishOpening();
    // whatever is on its way to the flat state must have arrived
    await chain.write(chain.createBatch(), { sync: true });
    const generation = this.#generation + 1;
    await stores.remove(generation);
    const store = await stores.open(generation);
    try {
      await rebuildTries({ chain, trie: store, slab, head, signal });
      const batch = chain.createBatch();
      batch.put(GENERATION_KEY, fixedBytes(generation, 6));
      await chain.write(batch, { sync: true });
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
    const removal = this.#switchTo(generation, store);
    this.#removal = removal.catch((error: unknown) => log.warn({ error }, "cannot remove the old trie"));
    log.warn(
      { number: head.number, generation, ms: Math.round(performance.now() - started) },
      "rebuilt the trie from the flat state",
    );
  }

  /**
   * Moves to the next generation, whose database holds the tries of a slightly older block: brings it to `head`,
   * then names it in the chain database, with what `alongside` adds. `StateError` `trie-damaged` leaves everything
   * as it was. Resolves when it is in use, with the removal of the old one.
   */
  async adopt(
    store: Store,
    head: Point,
    alongside: (batch: Batch) => void,
  ): Promise<{ readonly removed: Promise<void> }> {
    const { chain, slab } = this.#settings;
    const marker = readMarker(store);
    if (marker === undefined) throw new StateError("trie-damaged", "the copy has no marker");
    const tries = new TrieSet(store, slab, marker.root);
    await runInSlices(catchUp(chain, tries, marker, head));
    const nodes = store.createBatch();
    await runInSlices(tries.flushSteps(nodes));
    nodes.put(MARKER_KEY, encodeMarker(head));
    await store.write(nodes, { sync: true });
    const generation = this.#generation + 1;
    const batch = chain.createBatch();
    batch.put(GENERATION_KEY, fixedBytes(generation, 6));
    alongside(batch);
    await chain.write(batch, { sync: true });
    return { removed: this.#switchTo(generation, store) };
  }

  async #finishOpening(): Promise<void> {
    if (this.#opening === undefined) return;
    this.#store = await this.#opening;
    this.#opening = undefined;
    this.#marker = this.#store && readMarker(this.#store);
    this.#tries = this.#storedTries();
  }

  async #switchTo(generation: number, store: Store): Promise<void> {
    const old = { generation: this.#generation, store: this.#store };
    this.#generation = generation;
    this.#store = store;
    this.#marker = readMarker(store);
    this.#tries = this.#storedTries();
    this.#gathered = undefined;
    this.#waiting = undefined;
    await this.#endReaders();
    await old.store?.[Symbol.asyncDispose]();
    await this.#settings.trie.remove(old.generation);
  }

  /** Gathers most changes of the tries for the next flush. The tries must not be used until it resolves. */
  async gather(): Promise<void> {
    this.#gathered ??= this.store.createBatch();
    await runInSlices(this.#tries.gatherSteps(this.#gathered));
  }

  /**
   * Gathers the changes of the tries, which are those of `head`, in one batch. The promise resolves when the
   * tries may change again; `written` when the batch is on disk, which is not begun before `synced`.
   */
  async flush(head: Point, synced?: Promise<void>): Promise<{ readonly written: Promise<void> }> {
    const started = performance.now();
    this.#gathered ??= this.store.createBatch();
    await runInSlices(this.#tries.flushSteps(this.#gathered));
    const batch = this.#gathered;
    this.#gathered = undefined;
    this.#waiting = batch;
    batch.put(MARKER_KEY, encodeMarker(head));
    return { written: this.#write(batch, { head, started, synced }) };
  }

  async #write(batch: Batch, { head, started, synced }: Flush): Promise<void> {
    await synced;
    if (this.#waiting !== batch) return; // its tries are not in use any more
    const written = this.store.write(batch, { sync: true });
    this.#waiting = undefined; // the store finds its rows from here on
    await written;
    this.#marker = head;
    const { rows, bytes } = this.#flushes;
    const lastMs = performance.now() - started;
    this.#flushes = { lastMs, rows: rows + batch.size, bytes: bytes + batch.bytes };
  }

  async close(): Promise<void> {
    await this.#finishOpening().catch(() => undefined); // what did not open needs no closing
    await this.#removal;
    await this.#store?.[Symbol.asyncDispose]();
  }

  #storedTries(): TrieSet {
    const rows = {
      get: (key: Uint8Array) => {
        const newest = this.#gathered?.find(key);
        if (newest?.found === true) return newest.value;
        const waiting = this.#waiting?.find(key);
        return waiting?.found === true ? waiting.value : this.store.get(key);
      },
    };
    return new TrieSet(rows, this.#settings.slab, this.#marker?.root ?? EMPTY_TRIE_ROOT);
  }
}

/** A trie database, open or on its way. `store` is undefined when its files are damaged. */
type Opening =
  | { readonly isOpen: true; readonly store: Store | undefined }
  | { readonly isOpen: false; readonly later: Promise<Store | undefined> };

/**
 * Opens the valid generation, or leaves that to `catchUp` when it takes long. One whose files are damaged is left
 * closed, to be rebuilt.
 */
export async function openTries(settings: TrieStoreSettings): Promise<TrieStore> {
  const { chain, trie } = settings;
  const generation = readGeneration(chain);
  if (generation > 0) await trie.remove(generation - 1); // left over by a crash during the switch
  const later = openGeneration(settings, generation);
  later.catch(() => undefined); // met where it is awaited
  const patience = new AbortController();
  const opened = later.then((store): Opening => ({ isOpen: true, store }));
  const waited = setTimeout(settings.patienceMs, undefined, { signal: patience.signal }).then(
    (): Opening => ({ isOpen: false, later }),
  );
  waited.catch(() => undefined); // called off below
  const opening = await Promise.race([opened, waited]);
  patience.abort();
  return new TrieStore(settings, generation, opening);
}

async function openGeneration(
  { trie, log }: TrieStoreSettings,
  generation: number,
): Promise<Store | undefined> {
  try {
    return await trie.open(generation);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "corrupt") throw error;
    log.warn({ generation, error }, "trie database cannot be opened");
    return undefined;
  }
}

/** True for what a rebuild of the trie can mend. */
export function isDamage(error: unknown): boolean {
  if (error instanceof StateError) return error.code === "trie-damaged";
  return error instanceof StoreError && error.code === "corrupt";
}
