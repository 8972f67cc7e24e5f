/**
 * The store on disk: one LevelDB directory through `classic-level`. Opening takes the directory's lock; a
 * reader thread of the same process opens the same directory beside it with `openLevelReader`.
 */
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ClassicLevel } from "classic-level";
import { collectGarbage } from "../runtime/collect-garbage.ts";
import { BatchChanges, type FoundChange } from "./changes.ts";
import { checkNewestTables } from "./check-tables.ts";
import { appendChecksum, CHECKSUM_LENGTH, checkedValue } from "./checksum.ts";
import { StoreError } from "./error.ts";
import { dismissDamage, openFailure, readFailure, recoveryDamage } from "./level-failure.ts";
import type {
  Batch,
  Range,
  Row,
  Snapshot,
  Store,
  StoreReader,
  StoreWriter,
  WriteOptions,
  WriterBatch,
} from "./store.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";
import { failedWrite, WriteQueue } from "./write-queue.ts";

/** Sizes in bytes. */
export interface LevelStoreOptions {
  /** Uncompressed blocks kept in memory. */
  readonly cacheBytes?: number;
  /** Rows gathered in memory before a table file is written; up to two such buffers exist at a time. */
  readonly writeBufferBytes?: number;
  /** Table files that stay open: to open one takes as long as to read a row. */
  readonly openTables?: number;
  /**
   * A checksum with every row; `false` for rows that something else proves. Always the same for one directory.
   */
  readonly checksums?: boolean;
  /** True for rows that need not survive a power failure, since the directory is deleted at the end: no write is synced. */
  readonly isTemporary?: boolean;
  /** A directory that has been written to and is not larger than this is compacted when it is closed. */
  readonly tidyBytes?: number;
  /** False for links to the table files of an open database, whose newest ones were checked when it was opened. */
  readonly checksTables?: boolean;
  /** True when other threads write to the directory too (`openLevelWriter`). */
  readonly hasWriters?: boolean;
}

type Level = ClassicLevel<Uint8Array, Uint8Array>;
type NativeBatch = ReturnType<Level["batch"]>;

/** A key that no table has. */
const NO_ROW = Uint8Array.of(0);
const FIRST_KEY = Uint8Array.of(0);
const LAST_KEY = Uint8Array.of(255);
const WHOLE: Range = { from: FIRST_KEY, to: LAST_KEY };
/** Less than this written leaves nothing to tidy. */
const TIDY_AFTER_BYTES = 1024 * 1024;
/** Modest: a node that idles should be small. Options left `undefined` would be read as huge. */
const CACHE_BYTES = 8 * 1024 * 1024;
const WRITE_BUFFER_BYTES = 4 * 1024 * 1024;
const OPEN_TABLES = 1_000;
/** Native batches live until their objects are collected, and the collector does not know how large they are. */
const MAX_GARBAGE_BYTES = 16 * 1024 * 1024;
/** Rows fetched at a time by an iteration, and their bytes: few in a thread that does other work, many in one that has none. */
const PAGE = 512;
const PAGE_BYTES = 16 * 1024;
const LONG_PAGE_BYTES = 128 * 1024;
/** Directories open for writing in this thread: the engine's own lock is between processes. */
const held = new Set<string>();

/** Opens or creates a directory. Throws `StoreError` `in-use`, `corrupt` or `failed`. */
export async function openLevelStore(path: string, options: LevelStoreOptions = {}): Promise<Store> {
  const directory = resolve(path);
  if (held.has(directory)) throw new StoreError("in-use", `${directory} is already open in this process`);
  held.add(directory);
  try {
    await refuseLost(directory);
    if (options.checksTables !== false) await checkNewestTables(directory);
    const level = await openLevel(directory, options, true);
    return new LevelStore(level, directory, options, await recoveryDamage(directory));
  } catch (error) {
    held.delete(directory);
    throw error;
  }
}

/**
 * Opens a directory for reading in another thread of the process that writes it. All readers must be closed
 * before the writer is: the block cache belongs to whoever opened first.
 */
export async function openLevelReader(
  directory: string,
  options: LevelStoreOptions = {},
): Promise<StoreReader> {
  // the engine knows its open directories by their spelling
  const level = await openLevel(resolve(directory), options, false);
  const checksums = options.checksums !== false;
  return {
    snapshot: () => snapshotOf(level, checksums),
    [Symbol.asyncDispose]: () => level.close(),
  };
}

/**
 * Opens a directory for writing in another thread of the process that has opened it with `hasWriters`. All writers must be
 * closed before it is. What they write is on disk with the next synced write of the owner.
 */
export async function openLevelWriter(
  directory: string,
  options: LevelStoreOptions = {},
): Promise<StoreWriter> {
  const level = await openLevel(resolve(directory), options, false);
  const checksums = options.checksums !== false;
  let garbage = 0;
  return {
    get: (key) => rowOf(level, key, checksums),
    createBatch: () => new NewRows(level.batch(), checksums),
    write: async (batch) => {
      if (!(batch instanceof NewRows)) throw new TypeError("a batch of another store");
      await batch.native.write({ sync: false }).catch((error: unknown) => {
        throw failedWrite(error);
      });
      garbage += batch.bytes;
      if (garbage < MAX_GARBAGE_BYTES) return;
      garbage = 0;
      collectGarbage();
    },
    [Symbol.asyncDispose]: () => level.close(),
  };
}

/** Refuses a directory in which only `CURRENT` is missing: the engine would delete the rest. */
async function refuseLost(directory: string): Promise<void> {
  const names = await readdir(directory).catch((): string[] => []); // what it cannot make, the engine says
  if (names.includes("CURRENT") || !names.some((name) => /\.(ldb|log)$/.test(name))) return;
  throw new StoreError("corrupt", `${directory} is damaged: CURRENT is missing`);
}

/** Rewrites a directory that nobody has open without the rows that were overwritten or deleted. */
export async function compactLevel(directory: string): Promise<void> {
  const level = await openLevel(resolve(directory), {}, false);
  try {
    await level.compactRange(FIRST_KEY, LAST_KEY);
  } finally {
    await level.close();
  }
}

async function openLevel(directory: string, options: LevelStoreOptions, create: boolean): Promise<Level> {
  const level: Level = new ClassicLevel(directory, {
    keyEncoding: "view",
    valueEncoding: "view",
    multithreading: true,
    createIfMissing: create,
    cacheSize: options.cacheBytes ?? CACHE_BYTES,
    writeBufferSize: options.writeBufferBytes ?? WRITE_BUFFER_BYTES,
    maxOpenFiles: options.openTables ?? OPEN_TABLES,
  });
  try {
    await level.open();
  } catch (error) {
    throw openFailure(directory, error);
  }
  return level;
}

class LevelBatch implements Batch {
  readonly changes = new BatchChanges();
  readonly native: NativeBatch;
  readonly #checksums: boolean;

  constructor(native: NativeBatch, checksums: boolean) {
    this.native = native;
    this.#checksums = checksums;
  }

  get size(): number {
    return this.changes.size;
  }

  get bytes(): number {
    return this.changes.bytes;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    putRow(this.native, key, value, this.#checksums);
    this.changes.put(key, value);
  }

  delete(key: Uint8Array): void {
    this.native.del(offHeap(key));
    this.changes.delete(key);
  }

  find(key: Uint8Array): FoundChange {
    return this.changes.find(key);
  }
}

/** Rows of a writer, which nobody looks up before they are written. */
class NewRows implements WriterBatch {
  readonly native: NativeBatch;
  readonly #checksums: boolean;
  #bytes = 0;

  constructor(native: NativeBatch, checksums: boolean) {
    this.native = native;
    this.#checksums = checksums;
  }

  get bytes(): number {
    return this.#bytes;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    putRow(this.native, key, value, this.#checksums);
    this.#bytes += key.length + value.length;
  }
}

function putRow(native: NativeBatch, key: Uint8Array, value: Uint8Array, checksums: boolean): void {
  // the native batch copies at once, so the scratch may be used again
  native.put(offHeap(key), checksums ? appendChecksum(key, value, scratchFor(value.length)) : value);
}

const MAX_COPIED_BYTES = 64;
const keyMemory = new Uint8Array(new ArrayBuffer(MAX_COPIED_BYTES));
/** The first bytes of the memory, by how many they are. */
const keyViews = Array.from({ length: MAX_COPIED_BYTES + 1 }, (_, length) => keyMemory.subarray(0, length));

/**
 * A key where native code can read it, until the next one: passing the key itself would move its bytes off the heap
 * for good, which costs more than all else that is done with them. Longer ones are off the heap already.
 */
function offHeap(key: Uint8Array): Uint8Array {
  const view = keyViews[key.length];
  if (view === undefined) return key;
  view.set(key);
  return view;
}

let scratch = Buffer.allocUnsafeSlow(4096);

function scratchFor(length: number): Buffer {
  if (scratch.length < length + CHECKSUM_LENGTH)
    scratch = Buffer.allocUnsafeSlow(2 * length + CHECKSUM_LENGTH);
  return scratch;
}

function rowOf(level: Level, key: Uint8Array, checksums: boolean): Uint8Array | undefined {
  try {
    const value = level.getSync(offHeap(key));
    return value !== undefined && checksums ? checkedValue(key, value) : value;
  } catch (error) {
    throw readFailure(error);
  }
}

class LevelStore implements Store {
  readonly damage: string | undefined;
  readonly #level: Level;
  readonly #directory: string;
  readonly #checksums: boolean;
  readonly #tidyBytes: number;
  readonly #isTemporary: boolean;
  readonly #hasWriters: boolean;
  readonly #queue = new WriteQueue();
  readonly #log: WriteAheadLog;
  #written = 0;

  constructor(level: Level, directory: string, options: LevelStoreOptions, damage: string | undefined) {
    this.#level = level;
    this.#directory = directory;
    this.#checksums = options.checksums !== false;
    this.#tidyBytes = options.tidyBytes ?? 0;
    this.#isTemporary = options.isTemporary === true;
    const { writeBufferBytes = WRITE_BUFFER_BYTES, hasWriters = false } = options;
    this.#hasWriters = hasWriters;
    this.#log = new WriteAheadLog(directory, { bufferBytes: writeBufferBytes, hasWriters });
    this.damage = damage;
  }

  dismissDamage(): Promise<void> {
    return dismissDamage(this.#directory);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const inFlight = this.#queue.lookup(key);
    if (inFlight.found) return inFlight.value;
    return rowOf(this.#level, key, this.#checksums);
  }

  createBatch(): Batch {
    try {
      return new LevelBatch(this.#level.batch(), this.#checksums);
    } catch (error) {
      throw readFailure(error);
    }
  }

  write(batch: Batch, options: WriteOptions): Promise<void> {
    if (!(batch instanceof LevelBatch)) return Promise.reject(new TypeError("a batch of another store"));
    // an empty native batch would not reach the engine, and so not sync what was written before it
    const sync = options.sync && !this.#isTemporary;
    if (sync && batch.size === 0) batch.native.del(NO_ROW);
    this.#written += batch.bytes;
    return this.#queue.run(batch.changes, async () => {
      await options.before?.();
      await this.#log.prepare(batch, sync);
      await batch.native.write({ sync });
    });
  }

  entries(range: Range): AsyncIterable<Row> {
    return entriesOf(this.#level, range, this.#checksums);
  }

  property(name: string): string | undefined {
    const text: string = this.#level.getProperty(name);
    return text === "" ? undefined : text;
  }

  bytesIn({ from, to }: Range): Promise<number> {
    return this.#level.approximateSize(from, to);
  }

  async compact({ from, to }: Range = WHOLE): Promise<void> {
    using _ = this.#log.expectNewFile();
    await this.#queue.idle; // the write under way was prepared without it
    await this.#level.compactRange(from, to);
  }

  snapshot(): Snapshot {
    return snapshotOf(this.#level, this.#checksums);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.idle;
    await this.#level.close();
    await this.#tidy().catch(() => undefined); // whatever is wrong, the next opening says
    held.delete(this.#directory);
  }

  /**
   * Compacts where most of what lies in the files may have been overwritten, and it takes but a moment. Only what
   * was written before an opening is sure to be merged.
   */
  async #tidy(): Promise<void> {
    if (this.#tidyBytes === 0 || (this.#written < TIDY_AFTER_BYTES && !this.#hasWriters)) return;
    let size = 0;
    for (const name of await readdir(this.#directory)) size += (await stat(join(this.#directory, name))).size;
    if (size <= this.#tidyBytes) await compactLevel(this.#directory);
  }
}

type LevelSnapshot = ReturnType<Level["snapshot"]>;

function snapshotOf(level: Level, checksums: boolean): Snapshot {
  const snapshot = level.snapshot();
  const options = { keyEncoding: "view", valueEncoding: "view", snapshot };
  return {
    get: (key) => {
      try {
        const value = level.getSync<Uint8Array, Uint8Array>(key, options);
        return value !== undefined && checksums ? checkedValue(key, value) : value;
      } catch (error) {
        throw readFailure(error);
      }
    },
    entries: (range) => entriesOf(level, range, checksums, snapshot),
    pages: (range) => pagesOf({ level, range, checksums, snapshot, pageBytes: LONG_PAGE_BYTES }),
    [Symbol.dispose]: () => void snapshot.close(),
  };
}

async function* entriesOf(
  level: Level,
  range: Range,
  checksums: boolean,
  snapshot?: LevelSnapshot,
): AsyncGenerator<Row> {
  for await (const page of pagesOf({ level, range, checksums, snapshot, pageBytes: PAGE_BYTES })) yield* page;
}

interface PageQuery {
  readonly level: Level;
  readonly range: Range;
  readonly checksums: boolean;
  readonly snapshot: LevelSnapshot | undefined;
  readonly pageBytes: number;
}

async function* pagesOf(query: PageQuery): AsyncGenerator<readonly Row[]> {
  const { level, range, checksums, snapshot, pageBytes } = query;
  try {
    await using rows = level.iterator({
      gte: range.from,
      lt: range.to,
      reverse: range.reverse ?? false,
      limit: range.limit ?? -1,
      snapshot,
      highWaterMarkBytes: pageBytes,
    });
    for (let page: Row[] = await rows.nextv(PAGE); page.length > 0; page = await rows.nextv(PAGE))
      yield checksums ? page.map(([key, value]) => [key, checkedValue(key, value)]) : page;
  } catch (error) {
    throw readFailure(error);
  }
}
