/**
 * Follows the chain with the bloom index: a few blocks at a time, well behind everything else. Its cursor is a row of
 * its own, so it goes on where it was, and begins anew where there is none.
 */
import { setTimeout } from "node:timers/promises";
import { decodeRlp } from "../bytes/rlp.ts";
import { decodeHeader } from "../model/header.ts";
import type { Log } from "../observe/log.ts";
import type { Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import type { Chain } from "./chain.ts";
import { indexedSections, putIndexedSections, SECTION_BLOCKS, SectionBits } from "./log-index.ts";

/** What is followed and where the index goes. */
export interface LogFollowerParts {
  readonly store: Store;
  readonly chain: Pick<Chain, "head" | "onHead" | "onRewind">;
  readonly log: Log;
}

/** Disposing it ends it behind the block at hand. */
export interface LogFollower extends AsyncDisposable {
  /** Resolves when all blocks up to the head are taken in, with the number of finished sections. */
  caughtUp(): Promise<number>;
}

/** Longest stretch of work, and the rest after it: catching up with a long chain leaves the thread to others. */
const WORK_MS = 2;
const REST_MS = 6;

/** Begins to follow. */
export function openLogFollower(parts: LogFollowerParts): LogFollower {
  return new Follower(parts);
}

class Follower implements LogFollower {
  readonly #parts: LogFollowerParts;
  readonly #closing = new AbortController();
  readonly #bits = new SectionBits();
  readonly #ends: readonly (() => void)[];
  #sections: number;
  #next: number;
  #running: Promise<void> | undefined;

  constructor(parts: LogFollowerParts) {
    this.#parts = parts;
    const { chain, store } = parts;
    this.#sections = indexedSections(store);
    this.#next = this.#sections * SECTION_BLOCKS;
    const isWhole = store.damage === undefined; // else any batch may be missing
    this.#cut(isWhole ? chain.head().header.number : -1);
    this.#ends = [
      chain.onHead(() => this.#start()),
      chain.onRewind((_removed, head) => this.#cut(head.header.number)),
    ];
    this.#start();
  }

  async caughtUp(): Promise<number> {
    while (this.#running !== undefined) await this.#running;
    return this.#sections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) end();
    this.#closing.abort();
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#follow()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) {
          this.#parts.log.warn({ number: this.#next, error }, "the log index stays behind");
        }
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    let since = performance.now();
    while (this.#next <= this.#parts.chain.head().header.number) {
      this.#take(this.#next);
      this.#next++;
      if (this.#next % SECTION_BLOCKS === 0) await this.#finish();
      signal.throwIfAborted();
      if (performance.now() - since < WORK_MS) continue;
      await setTimeout(REST_MS, undefined, { signal, ref: false });
      since = performance.now();
    }
  }

  #take(number: number): void {
    const row = this.#parts.store.get(tables.header.key(number));
    if (row === undefined) throw new Error(`the header of block ${number} is missing`);
    this.#bits.add(number % SECTION_BLOCKS, decodeHeader(decodeRlp(row)).bloom);
  }

  /** Rows and cursor are one batch; the section counts before it has landed, as batches land in order. */
  #finish(): Promise<void> {
    const { store } = this.#parts;
    const batch = store.createBatch();
    this.#bits.put(batch, this.#sections);
    this.#bits.clear();
    this.#sections++;
    putIndexedSections(batch, this.#sections);
    return store.write(batch, { sync: false });
  }

  /** Forgets sections that are not whole below `head`, and the one in the making. */
  #cut(head: number): void {
    const whole = Math.floor((head + 1) / SECTION_BLOCKS);
    if (this.#next <= head + 1 && this.#sections <= whole) return;
    if (whole < this.#sections) {
      this.#sections = whole;
      const batch = this.#parts.store.createBatch();
      putIndexedSections(batch, whole);
      this.#parts.store.write(batch, { sync: false }).catch((error: unknown) => {
        this.#parts.log.warn({ error }, "the log index could not be cut");
      });
    }
    this.#bits.clear();
    this.#next = this.#sections * SECTION_BLOCKS;
  }
}
