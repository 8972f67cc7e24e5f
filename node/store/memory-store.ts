/** The store in memory: for tests and for chains that need no disk. */
import { compareBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { BatchChanges } from "./changes.ts";
import { StoreError } from "./error.ts";
import type { Batch, Range, Row, Snapshot, Store, WriteOptions } from "./store.ts";
import { WriteQueue } from "./write-queue.ts";

type Table = ReadonlyMap<string, Uint8Array>;

/** Creates an empty store that ends with the process. */
export function createMemoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly damage = undefined;
  /** Never changed in place once a snapshot holds it. */
  #rows = new Map<string, Uint8Array>();
  #shared = false;
  #closed = false;
  readonly #queue = new WriteQueue();

  dismissDamage(): Promise<void> {
    return Promise.resolve();
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#assertOpen();
    const inFlight = this.#queue.lookup(key);
    return inFlight.found ? inFlight.value : this.#rows.get(mapKey(key));
  }

  property(): undefined {
    return undefined;
  }

  async bytesIn(range: Range): Promise<number> {
    let bytes = 0;
    for await (const [key, value] of this.entries(range)) bytes += key.length + value.length;
    return bytes;
  }

  compact(): Promise<void> {
    return Promise.resolve();
  }

  createBatch(): Batch {
    this.#assertOpen();
    return new BatchChanges();
  }

  write(batch: Batch, options: WriteOptions): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
    if (!(batch instanceof BatchChanges)) return Promise.reject(new TypeError("a batch of another store"));
    return this.#queue.run(batch, async () => {
      await options.before?.();
      this.#apply(batch);
    });
  }

  #apply(changes: BatchChanges): void {
    if (this.#shared) this.#rows = new Map(this.#rows);
    this.#shared = false;
    for (const [key, value] of changes) {
      if (value === undefined) this.#rows.delete(mapKey(key));
      else this.#rows.set(mapKey(key), value);
    }
  }

  entries(range: Range): AsyncIterable<Row> {
    return entriesOf(this.#share(), range);
  }

  snapshot(): Snapshot {
    const rows = this.#share();
    let open = true;
    const use = (): Table => {
      if (!open) throw closedError();
      return rows;
    };
    return {
      get: (key) => use().get(mapKey(key)),
      entries: (range) => entriesOf(use(), range),
      async *pages(range) {
        for await (const row of entriesOf(use(), range)) yield [row];
      },
      [Symbol.dispose]: () => {
        open = false;
      },
    };
  }

  #share(): Table {
    this.#assertOpen();
    this.#shared = true;
    return this.#rows;
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.idle;
    this.#closed = true;
  }
}

async function* entriesOf(rows: Table, range: Range): AsyncGenerator<Row> {
  const found: Row[] = [];
  for (const [name, value] of rows) {
    const key = Buffer.from(name, "latin1");
    if (compareBytes(key, range.from) >= 0 && compareBytes(key, range.to) < 0) found.push([key, value]);
  }
  found.sort(([a], [b]) => (range.reverse === true ? compareBytes(b, a) : compareBytes(a, b)));
  yield* range.limit === undefined ? found : found.slice(0, range.limit);
}

function closedError(): StoreError {
  return new StoreError("closed", "the store is closed");
}
