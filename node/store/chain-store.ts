/**
 * The chain database: two directories, of which `blocks` holds the rows of `blockTables` and `chain` all others. Rows of
 * blocks are many and never change. In one directory with the flat state they fill the engine's buffer, and each time it is
 * written the engine rewrites the accounts around the few that have changed.
 *
 * A batch lands as a whole: its rows of blocks are on disk before its other rows are written, and what it deletes of blocks
 * goes after they are synced. What a crash leaves in between are rows of blocks that no other row leads to; those above the
 * head are deleted by `trimBlocks`. Directories of earlier versions have the rows of their blocks in `chain`, where they
 * stay: what `blocks` lacks is read there.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { compareBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import type { FoundChange } from "./changes.ts";
import { StoreError } from "./error.ts";
import { type LevelStoreOptions, openLevelReader, openLevelStore, openLevelWriter } from "./level-store.ts";
import type {
  Batch,
  Range,
  Row,
  Rows,
  Snapshot,
  Store,
  StoreReader,
  StoreWriter,
  WriterBatch,
} from "./store.ts";
import { blockTables, tables } from "./tables.ts";

/** Both directories as one store. */
export interface ChainStore extends Store {
  /** The directory of the rows of blocks. */
  readonly blocks: Store;
}

/** Options of the two directories; sizes in bytes. */
export interface ChainStoreOptions
  extends Pick<LevelStoreOptions, "isTemporary" | "hasWriters" | "checksTables"> {
  /** Blocks of table files of both that are kept in memory. */
  readonly cacheBytes?: number;
  /** Rows that each gathers in memory before it writes a table file. */
  readonly writeBufferBytes?: number;
  /** Table files of `chain` that stay open. */
  readonly openTables?: number;
}

/** Share of the cache for rows of blocks: most are read once, in their order. */
const BLOCKS_SHARE = 0.25;
/** Rows of blocks are written in their order, so a small buffer costs nothing. */
const BLOCKS_BUFFER_BYTES = 2 * 1024 * 1024;
/** Few callers ask for old blocks. */
const OPEN_BLOCKS_TABLES = 250;

/** 1 for the first byte of a key of `blocks`. */
const IS_OF_BLOCK = new Uint8Array(256);
for (const { prefix } of blockTables) IS_OF_BLOCK[prefix] = 1;

/** Returns the directory of the rows of blocks, which lies beside that of all others. */
export function blocksDirectory(chain: string): string {
  return join(dirname(chain), "blocks");
}

/** Opens or creates the directory `chain` and the one beside it. Throws `StoreError` `in-use`, `corrupt` or `failed`. */
export async function openChainStore(chain: string, options: ChainStoreOptions = {}): Promise<ChainStore> {
  const { cacheBytes, writeBufferBytes = BLOCKS_BUFFER_BYTES } = options;
  const cacheOf = (share: number): LevelStoreOptions =>
    cacheBytes === undefined ? {} : { cacheBytes: Math.floor(share * cacheBytes) };
  await using parts = new AsyncDisposableStack();
  const rest = parts.use(await openLevelStore(chain, { ...options, ...cacheOf(1 - BLOCKS_SHARE) }));
  const directory = blocksDirectory(chain);
  refuseLost(rest, directory);
  const sizes = { ...cacheOf(BLOCKS_SHARE), writeBufferBytes, openTables: OPEN_BLOCKS_TABLES };
  const blocks = parts.use(await openLevelStore(directory, { ...options, ...sizes }));
  parts.move();
  return joinStores(rest, blocks, options);
}

/** Refuses a chain whose rows of blocks are nowhere: an empty directory would take their place. */
function refuseLost(chain: Rows, blocks: string): void {
  const isNew = chain.get(tables.meta.key("schema")) === undefined;
  if (isNew || existsSync(blocks) || chain.get(tables.header.key(0)) !== undefined) return;
  throw new StoreError("corrupt", `${blocks} is missing`);
}

/** Joins two open stores; disposing the result closes both. `hasWriters`: other threads write to them too. */
export function joinStores(
  chain: Store,
  blocks: Store,
  options: Pick<LevelStoreOptions, "hasWriters"> = {},
): ChainStore {
  return new JoinedStore(chain, blocks, options.hasWriters === true);
}

/** Opens both directories for reading in another thread, as `openLevelReader` does. */
export async function openChainReader(chain: string): Promise<StoreReader> {
  const { rest, blocks, close } = await openBoth(chain, openLevelReader);
  return {
    snapshot: () => joinSnapshots(rest.snapshot(), blocks.snapshot()), // in this order: a head has its rows
    [Symbol.asyncDispose]: close,
  };
}

/** Opens both directories for writing in another thread, as `openLevelWriter` does. */
export async function openChainWriter(chain: string): Promise<StoreWriter> {
  const { rest, blocks, close } = await openBoth(chain, openLevelWriter);
  return {
    get: (key) => rowOf(key, rest, blocks),
    createBatch: () => new JoinedRows(rest.createBatch(), blocks.createBatch()),
    write: async (batch) => {
      if (!(batch instanceof JoinedRows)) throw new TypeError("a batch of another store");
      if (batch.blocks.bytes > 0) await blocks.write(batch.blocks);
      await rest.write(batch.rest);
    },
    [Symbol.asyncDispose]: close,
  };
}

interface Both<T> {
  readonly rest: T;
  readonly blocks: T;
  readonly close: () => Promise<void>;
}

async function openBoth<T extends AsyncDisposable>(
  chain: string,
  open: (directory: string) => Promise<T>,
): Promise<Both<T>> {
  await using parts = new AsyncDisposableStack();
  const rest = parts.use(await open(chain));
  const blocks = parts.use(await open(blocksDirectory(chain)));
  const opened = parts.move();
  return { rest, blocks, close: () => opened.disposeAsync() };
}

/** Deletes the rows of blocks above the newest one, which a crash before its other rows has left. */
export async function trimBlocks(store: ChainStore, head: number): Promise<void> {
  const batch = store.blocks.createBatch();
  for (const table of blockTables) {
    const above = { from: table.key(head + 1), to: table.range().to };
    for await (const [key] of store.blocks.entries(above)) batch.delete(key);
  }
  if (batch.size > 0) await store.blocks.write(batch, { sync: false });
}

function isOfBlock(key: Uint8Array): boolean {
  return IS_OF_BLOCK[key[0] ?? 0] === 1;
}

/** True for a range in which rows of blocks may lie. */
function hasBlocks({ from, to }: Range): boolean {
  return blockTables.some((table) => {
    const all = table.range();
    return compareBytes(from, all.to) < 0 && compareBytes(to, all.from) > 0;
  });
}

function rowOf(key: Uint8Array, chain: Rows, blocks: Rows): Uint8Array | undefined {
  return isOfBlock(key) ? (blocks.get(key) ?? chain.get(key)) : chain.get(key);
}

/** New rows of both stores. */
class JoinedRows implements WriterBatch {
  readonly rest: WriterBatch;
  readonly blocks: WriterBatch;

  constructor(rest: WriterBatch, blocks: WriterBatch) {
    this.rest = rest;
    this.blocks = blocks;
  }

  get bytes(): number {
    return this.rest.bytes + this.blocks.bytes;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    (isOfBlock(key) ? this.blocks : this.rest).put(key, value);
  }
}

/** Changes of both stores. */
class JoinedBatch implements Batch {
  readonly rest: Batch;
  readonly blocks: Batch;
  /** Keys of blocks that it deletes, by their texts. */
  readonly deleted = new Map<string, Uint8Array>();

  constructor(rest: Batch, blocks: Batch) {
    this.rest = rest;
    this.blocks = blocks;
  }

  get size(): number {
    return this.rest.size + this.blocks.size;
  }

  get bytes(): number {
    return this.rest.bytes + this.blocks.bytes;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    if (!isOfBlock(key)) return this.rest.put(key, value);
    if (this.deleted.size > 0) this.deleted.delete(mapKey(key));
    this.blocks.put(key, value);
  }

  /** In `chain` the row of an earlier version goes. */
  delete(key: Uint8Array): void {
    if (isOfBlock(key)) this.deleted.set(mapKey(key), key.slice());
    this.rest.delete(key);
  }

  find(key: Uint8Array): FoundChange {
    if (!isOfBlock(key) || this.deleted.has(mapKey(key))) return this.rest.find(key);
    return this.blocks.find(key);
  }
}

class JoinedStore implements ChainStore {
  readonly blocks: Store;
  readonly #chain: Store;
  readonly #hasWriters: boolean;
  /** Batches of blocks written, and how many of these are synced. */
  #written = 0;
  #synced = 0;
  /** Deleted rows of blocks that are still in their store, with the batch that deletes them. */
  readonly #deleted = new Map<string, JoinedBatch>();

  constructor(chain: Store, blocks: Store, hasWriters: boolean) {
    this.#chain = chain;
    this.blocks = blocks;
    this.#hasWriters = hasWriters;
  }

  get damage(): string | undefined {
    const damages = [this.#chain.damage, this.blocks.damage].filter((damage) => damage !== undefined);
    return damages.length === 0 ? undefined : damages.join("; ");
  }

  async dismissDamage(): Promise<void> {
    for (const store of [this.#chain, this.blocks]) await store.dismissDamage();
  }

  get(key: Uint8Array): Uint8Array | undefined {
    if (this.#deleted.size > 0 && this.#deleted.has(mapKey(key))) return undefined;
    return rowOf(key, this.#chain, this.blocks);
  }

  createBatch(): Batch {
    return new JoinedBatch(this.#chain.createBatch(), this.blocks.createBatch());
  }

  /** Each store keeps its rows readable from the call on; the other rows wait for the sync of those of blocks. */
  async write(batch: Batch, options: { readonly sync: boolean }): Promise<void> {
    if (!(batch instanceof JoinedBatch)) throw new TypeError("a batch of another store");
    const { rest, blocks, deleted } = batch;
    for (const [text, { deleted: keys }] of this.#deleted)
      if (blocks.find(keys.get(text) as Uint8Array).found) this.#deleted.delete(text);
    for (const key of deleted.keys()) this.#deleted.set(key, batch);
    const written = blocks.size > 0 ? this.#writeBlocks(blocks) : undefined;
    const number = this.#written;
    const sync = options.sync || deleted.size > 0;
    await this.#chain.write(rest, {
      sync,
      before: async () => {
        await written;
        if (number > this.#synced || (sync && this.#hasWriters)) await this.#syncBlocks();
      },
    });
    if (deleted.size > 0) await this.#removeBlocks(batch, options.sync);
  }

  #writeBlocks(blocks: Batch): Promise<void> {
    const written = this.blocks.write(blocks, { sync: false });
    written.catch(() => undefined); // the write of the other rows meets it
    this.#written++;
    return written;
  }

  /** Syncs all rows of blocks that have been given to their store, of later batches too. */
  async #syncBlocks(): Promise<void> {
    const written = this.#written;
    await this.blocks.write(this.blocks.createBatch(), { sync: true });
    this.#synced = Math.max(this.#synced, written);
  }

  /** Deletes the rows that no later batch has put again, or deletes itself. */
  async #removeBlocks(batch: JoinedBatch, sync: boolean): Promise<void> {
    const removal = this.blocks.createBatch();
    for (const [text, key] of batch.deleted) {
      if (this.#deleted.get(text) !== batch) continue;
      removal.delete(key);
      this.#deleted.delete(text);
    }
    await this.blocks.write(removal, { sync });
  }

  entries(range: Range): AsyncIterable<Row> {
    return joinEntries(range, this.#chain, this.blocks);
  }

  /** That of `chain`. */
  property(name: string): string | undefined {
    return this.#chain.property(name);
  }

  async bytesIn(range: Range): Promise<number> {
    const bytes = await this.#chain.bytesIn(range);
    return hasBlocks(range) ? bytes + (await this.blocks.bytesIn(range)) : bytes;
  }

  async compact(range?: Range): Promise<void> {
    await this.#chain.compact(range);
    if (range === undefined || hasBlocks(range)) await this.blocks.compact(range);
  }

  snapshot(): Snapshot {
    return joinSnapshots(this.#chain.snapshot(), this.blocks.snapshot());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chain[Symbol.asyncDispose]();
    await this.blocks[Symbol.asyncDispose]();
  }
}

/** The snapshot of `chain` must be the older one: what it names as the head has its rows then. */
function joinSnapshots(chain: Snapshot, blocks: Snapshot): Snapshot {
  return {
    get: (key) => rowOf(key, chain, blocks),
    entries: (range) => joinEntries(range, chain, blocks),
    pages: (range) => (hasBlocks(range) ? pagesOf(joinEntries(range, chain, blocks)) : chain.pages(range)),
    [Symbol.dispose]() {
      for (const snapshot of [chain, blocks]) snapshot[Symbol.dispose]();
    },
  };
}

/** Stores and snapshots, as far as they are iterated. */
type Entries = Pick<Snapshot, "entries">;

function joinEntries(range: Range, chain: Entries, blocks: Entries): AsyncIterable<Row> {
  if (!hasBlocks(range)) return chain.entries(range);
  return firstOf(mergeEntries(range, chain, blocks), range.limit ?? Number.POSITIVE_INFINITY);
}

/** Merges the rows of both in their order. No key is in both: what is written again was deleted before. */
async function* mergeEntries(range: Range, chain: Entries, blocks: Entries): AsyncGenerator<Row> {
  const sign = range.reverse === true ? -1 : 1;
  const others = chain.entries(range)[Symbol.asyncIterator]();
  let other = await others.next();
  try {
    for await (const row of blocks.entries(range)) {
      for (
        ;
        other.done !== true && sign * compareBytes(other.value[0], row[0]) < 0;
        other = await others.next()
      )
        yield other.value;
      yield row;
    }
    for (; other.done !== true; other = await others.next()) yield other.value;
  } finally {
    await others.return?.();
  }
}

async function* firstOf(rows: AsyncIterable<Row>, limit: number): AsyncGenerator<Row> {
  let left = limit;
  if (left <= 0) return;
  for await (const row of rows) {
    yield row;
    if (--left === 0) return;
  }
}

async function* pagesOf(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  for await (const row of rows) yield [row];
}
