/**
 * Deletes the rows of old blocks: bodies, receipts, senders, look-ups by transaction and sections of the log index.
 * Each batch also records the oldest whole block, so a crash leaves no block by half. Rows that come back after a crash, or
 * that it has left of the newest batch, are deleted again.
 */
import type { Transaction } from "../model/transaction.ts";
import type { Batch, Range, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { forgetAddresses } from "./address-index.ts";
import { type BlockFollower, type Derived, type FollowedChain, openBlockFollower } from "./block-follower.ts";
import { storedTransactions } from "./block-rows.ts";
import type { Chain } from "./chain.ts";
import { oldestBody, putOldestBody } from "./kept-blocks.ts";
import { deleteSection, SECTION_BLOCKS } from "./log-index.ts";

/** The chain and the bounds of pruning. */
export interface PrunerOptions extends FollowedChain {
  readonly chain: FollowedChain["chain"] & Pick<Chain, "forgetBodies">;
  readonly store: Store;
  /** Newest blocks that stay whole. */
  readonly blocks: number;
  /** The first block whose body somebody may still need, whatever its age. */
  readonly oldestNeeded: () => number;
}

/** Starts to prune old blocks, behind the chain. */
export function openBlockPruner(options: PrunerOptions): BlockFollower {
  return openBlockFollower(options, new Pruning(options));
}

/** Blocks of a batch, and bytes of its keys. */
const BATCH_BLOCKS = 64;
const BATCH_BYTES = 64 * 1024;
/** So much that is gone is worth rewriting files for. */
const COMPACT_BYTES = 32 * 1024 * 1024;
/** Blocks after which it is looked how much that is. */
const LOOK_BLOCKS = 4096;
/** Tables by block number: deleted rows lie together. */
const NUMBERED = [tables.body, tables.receipts, tables.senders];
/** Tables by hash: deleted rows lie everywhere, so the tables are rewritten in parts. */
const HASHED = [tables.lookup, tables.senderHash];
const PARTS = 64;
/** A row of one, about. */
const HASHED_ROW_BYTES = 48;

class Pruning implements Derived {
  readonly name = "history.blocks";
  readonly #options: PrunerOptions;
  /** Ranges to compact, the next one at the end. */
  readonly #ranges: Range[] = [];
  /** The first block that has not been looked at. */
  #at: number;
  /** Blocks since it was looked how much there is to rewrite; the first look is at the start. */
  #unseen = LOOK_BLOCKS;
  /** Rows by hash that are gone and still take room. */
  #hashedRows = 0;

  constructor(options: PrunerOptions) {
    const { store, log, blocks } = options;
    this.#options = options;
    const isWhole = store.damage === undefined; // else any batch may be missing, and rows be back
    this.#at = isWhole ? Math.max(1, oldestBody(store) - BATCH_BLOCKS) : 1;
    log.info({ blocks, oldest: oldestBody(store) }, "old blocks are pruned");
  }

  /** Due is what lies before the limit; that a block has come says nothing. */
  get next(): number {
    return this.#at < this.#limit || this.#ranges.length > 0 || this.#isToLook
      ? this.#at
      : Number.POSITIVE_INFINITY;
  }

  get #limit(): number {
    const { chain, blocks, oldestNeeded } = this.#options;
    return Math.min(chain.head().header.number - blocks + 1, oldestNeeded());
  }

  get #isToLook(): boolean {
    return this.#unseen >= LOOK_BLOCKS;
  }

  take(): Promise<void> {
    const range = this.#ranges.pop();
    if (range !== undefined) return this.#options.store.compact(range);
    if (this.#isToLook) return this.#look();
    return this.#drop(this.#limit);
  }

  /** Whatever is taken back, `oldestNeeded` has kept. */
  cut(): void {
    // nothing to do
  }

  async #drop(limit: number): Promise<void> {
    const { chain, store } = this.#options;
    const batch = store.createBatch();
    const first = this.#at;
    const last = Math.min(limit, first + BATCH_BLOCKS) - 1;
    let number = first;
    for (; number <= last && batch.bytes < BATCH_BYTES; number++) this.#dropBlock(batch, number);
    this.#at = number;
    this.#unseen += number - first;
    dropSections(batch, first, number);
    putOldestBody(batch, Math.max(number, oldestBody(store)));
    await store.write(batch, { sync: false });
    chain.forgetBodies(number);
  }

  #dropBlock(batch: Batch, number: number): void {
    const transactions = this.#transactions(number);
    for (const { hash, senderTxHash } of transactions) {
      batch.delete(tables.lookup.key(hash));
      batch.delete(tables.senderHash.key(senderTxHash));
      this.#hashedRows++;
    }
    forgetAddresses(this.#options.store, batch, { number, transactions });
    for (const table of NUMBERED) batch.delete(table.key(number));
  }

  /** A damaged body goes without its look-ups: they lead nowhere from now on. */
  #transactions(number: number): readonly Transaction[] {
    const { store, log } = this.#options;
    try {
      return store.get(tables.body.key(number)) === undefined
        ? []
        : (storedTransactions(store, number) ?? []);
    } catch (error) {
      log.warn({ number, error }, "pruned a damaged old block");
      return [];
    }
  }

  /** Notes what is worth rewriting. */
  async #look(): Promise<void> {
    const { store } = this.#options;
    this.#unseen = 0;
    for (const table of NUMBERED) {
      const range = { from: table.key(1), to: table.key(this.#at) };
      if ((await store.bytesIn(range)) >= COMPACT_BYTES) this.#ranges.push(range);
    }
    const gone = this.#hashedRows * HASHED_ROW_BYTES;
    if (gone < COMPACT_BYTES) return;
    const kept = await store.bytesIn(tables.lookup.range());
    if (gone < kept / 4) return;
    this.#hashedRows = 0;
    for (const table of HASHED) this.#ranges.push(...partsOf(table.prefix));
  }
}

/** Sections of which the last block is among those from `first` up to but not including `end`. */
function dropSections(batch: Batch, first: number, end: number): void {
  const stop = Math.floor(end / SECTION_BLOCKS);
  for (let section = Math.floor(first / SECTION_BLOCKS); section < stop; section++) {
    deleteSection(batch, section);
  }
}

/** The rows of a table by the first bits of their hashes. */
function* partsOf(prefix: number): Generator<Range> {
  const step = 256 / PARTS;
  for (let part = 0; part < PARTS; part++) {
    const end = (part + 1) * step;
    const to = end === 256 ? Uint8Array.of(prefix + 1) : Uint8Array.of(prefix, end);
    yield { from: Uint8Array.of(prefix, part * step), to };
  }
}
