/**
 * An ordered map of byte strings on disk (`openLevelStore`) or in memory (`createMemoryStore`). Reads are
 * synchronous; writes are batches that land whole or not at all, one after the other in the order of the calls.
 * Values read from a store must not be written to.
 */
import type { FoundChange } from "./changes.ts";

/** One row, or `undefined` where there is none. */
export interface Rows {
  /** Throws `StoreError` `corrupt` when the row is damaged. */
  get(key: Uint8Array): Uint8Array | undefined;
}

/** Rows from `from` up to but not including `to`, ascending unless `reverse`. */
export interface Range {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** A key with its value. */
export type Row = readonly [key: Uint8Array, value: Uint8Array];

/** Changes that are written together; of several for one key the last counts. Keys and values are copied. */
export interface Batch {
  put(key: Uint8Array, value: Uint8Array): void;
  delete(key: Uint8Array): void;
  /** Returns the newest change of a row. */
  find(key: Uint8Array): FoundChange;
  /** Number of changes. */
  readonly size: number;
  /** Bytes of all keys and values. */
  readonly bytes: number;
}

/** The rows as they were at one moment: batches that resolve later do not show. */
export interface Snapshot extends Rows, Disposable {
  entries(range: Range): AsyncIterable<Row>;
  /** The same rows in pages, none of them empty: for those who read very many. */
  pages(range: Range): AsyncIterable<readonly Row[]>;
}

/** Access of a reader thread to a store that another thread writes. */
export interface StoreReader extends AsyncDisposable {
  snapshot(): Snapshot;
}

/** New rows that are written together. Keys and values are copied. */
export type WriterBatch = Pick<Batch, "put" | "bytes">;

/** Access of a thread to a store that another thread has opened, whose synced writes cover those of this one. */
export interface StoreWriter extends Rows, AsyncDisposable {
  /** Creates a batch, which is kept until it is written or the writer is closed. */
  createBatch(): WriterBatch;
  /** Writes a batch of this writer, which is spent thereby; `get` shows its rows when it has resolved. */
  write(batch: WriterBatch): Promise<void>;
}

/** Terms of a write. */
export interface WriteOptions {
  /** True for rows that survive a power failure when the write resolves. */
  readonly sync: boolean;
  /** Called when all earlier writes have ended; the batch is written when it has resolved, and refused when it rejects. */
  readonly before?: () => Promise<void>;
}

/** An ordered key-value store with atomic batches. */
export interface Store extends Rows, StoreReader {
  /**
   * The engine's own description of rows that it left out when it opened a damaged log; whole batches may be
   * missing, so check the rows. Reported at every opening until `dismissDamage`.
   */
  readonly damage: string | undefined;
  /** The rows have been checked: the next opening says nothing of the damage. */
  dismissDamage(): Promise<void>;
  createBatch(): Batch;
  /**
   * Writes a batch of this store, which is spent thereby. From the call on `get` shows its rows; `entries` and
   * `snapshot` show them when it has resolved. `sync`: resolves only when the rows survive a power failure,
   * and those of all earlier writes with them, also when the batch itself is empty.
   * After a failed write every later one is refused with the same error.
   */
  write(batch: Batch, options: WriteOptions): Promise<void>;
  /** Rows of resolved batches, as they were when the iteration began. */
  entries(range: Range): AsyncIterable<Row>;
  /** Returns a property of the engine, such as `leveldb.stats`; undefined when it has none of this name. */
  property(name: string): string | undefined;
  /** Bytes that rows take in table files, roughly; what was written last may not be counted yet. */
  bytesIn(range: Range): Promise<number>;
  /**
   * Rewrites the files, or those with rows of a range, without rows that were overwritten or deleted; reads and writes
   * go on meanwhile.
   */
  compact(range?: Range): Promise<void>;
}
