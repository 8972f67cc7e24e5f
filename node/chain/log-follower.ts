/** Keeps the bloom index: its cursor counts whole sections, so a restart reads the last section's headers again. */
import type { Store } from "../store/store.ts";
import {
  type BlockFollower,
  type Derived,
  type FollowedChain,
  newestBlock,
  openBlockFollower,
} from "./block-follower.ts";
import { storedHeader } from "./block-rows.ts";
import { oldestBody } from "./kept-blocks.ts";
import { indexedSections, putIndexedSections, SECTION_BLOCKS, SectionBits } from "./log-index.ts";

/** The chain and the database of the index. */
export interface FollowerDeps extends FollowedChain {
  readonly store: Store;
}

/** Begins to follow. */
export function openLogFollower(deps: FollowerDeps): BlockFollower {
  return openBlockFollower(deps, new LogIndexing(deps));
}

class LogIndexing implements Derived {
  readonly name = "logIndex";
  readonly #deps: FollowerDeps;
  readonly #bits = new SectionBits();
  #sections: number;
  #next: number;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    this.#sections = Math.max(indexedSections(deps.store), this.#firstSection);
    this.#next = this.#sections * SECTION_BLOCKS;
    const isWhole = deps.store.damage === undefined; // else any batch may be missing
    this.cut(isWhole ? deps.chain.head().header.number : -1);
  }

  get next(): number {
    return this.#next;
  }

  take(): Promise<void> | undefined {
    const number = this.#next;
    const header = newestBlock(this.#deps, number)?.header ?? storedHeader(this.#deps.store, number);
    if (header === undefined) throw new Error(`the header of block ${number} is missing`);
    this.#bits.add(number % SECTION_BLOCKS, header.bloom);
    this.#next++;
    return this.#next % SECTION_BLOCKS === 0 ? this.#finish() : undefined;
  }

  /** Forgets sections that are not whole below `head`, and the one in the making. */
  cut(head: number): void {
    const whole = Math.max(Math.floor((head + 1) / SECTION_BLOCKS), this.#firstSection);
    if (this.#next <= head + 1 && this.#sections <= whole) return;
    if (whole < this.#sections) {
      this.#sections = whole;
      const batch = this.#deps.store.createBatch();
      putIndexedSections(batch, whole);
      this.#deps.store.write(batch, { sync: false }).catch((error: unknown) => {
        this.#deps.log.warn({ error }, "cannot remove rows from the log index");
      });
    }
    this.#bits.clear();
    this.#next = this.#sections * SECTION_BLOCKS;
  }

  /** Pruned blocks need no index. */
  get #firstSection(): number {
    return Math.floor(oldestBody(this.#deps.store) / SECTION_BLOCKS);
  }

  /** Rows and cursor are one batch; the section counts before it has landed, as batches land in order. */
  #finish(): Promise<void> {
    const { store } = this.#deps;
    const batch = store.createBatch();
    this.#bits.put(batch, this.#sections);
    this.#bits.clear();
    this.#sections++;
    putIndexedSections(batch, this.#sections);
    return store.write(batch, { sync: false });
  }
}
