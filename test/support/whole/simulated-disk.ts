/**
 * The disk of one simulated node. Writes take time; at a crash those that were not synced may be lost from some point
 * on, as a write-ahead log loses its tail; rows may be damaged while the node is down. Each database keeps its own log.
 */
import { compareBytes } from "../../../node/bytes/compare.ts";
import { mapKey } from "../../../node/bytes/hex.ts";
import { BatchChanges } from "../../../node/store/changes.ts";
import { StoreError } from "../../../node/store/error.ts";
import type { Batch, Range, Row, Snapshot, Store, WriteOptions } from "../../../node/store/store.ts";
import { WriteQueue } from "../../../node/store/write-queue.ts";
import type { Life, VirtualTime } from "./virtual-time.ts";

/** End of a process: `kill` keeps what the system was given, `power` only what was synced, and maybe some more. */
export type CrashKind = "kill" | "power";

/** Faults of a disk while its node runs. */
export interface DiskFaults {
  /** Milliseconds that a write or a sync takes. */
  readonly delayMs: () => number;
  /** Called around each write; may end the life of the node. */
  readonly onWrite: () => void;
  /** True when the disk refuses a write. */
  readonly isRefusing: () => boolean;
}

type Rows = Map<string, Uint8Array>;

/** Files of one database. */
interface Image {
  /** Rows that the system was given; never changed in place once a snapshot holds them. */
  rows: Rows;
  isShared: boolean;
  /** Rows that survive a power failure. */
  readonly synced: Rows;
  /** Batches since the last sync. */
  readonly unsynced: BatchChanges[];
  readonly damaged: Set<string>;
}

/** Access of one life to the disk. */
export interface DiskAccess {
  readonly time: VirtualTime;
  readonly life: Life;
  readonly faults: DiskFaults;
}

/** The files of one node, which outlast its lives. */
export class SimulatedDisk {
  readonly #images = new Map<string, Image>();
  readonly #random: () => number;
  readonly #isForgetful: boolean;

  /** Creates an empty disk; a forgetful one does not do what a sync promises. */
  constructor(random: () => number, isForgetful: boolean) {
    this.#random = random;
    this.#isForgetful = isForgetful;
  }

  open(name: string, access: DiskAccess): Store {
    const image = this.#images.get(name) ?? emptyImage();
    this.#images.set(name, image);
    return new DiskStore(image, name, { ...access, isForgetful: this.#isForgetful });
  }

  remove(name: string): void {
    this.#images.delete(name);
  }

  /** Deletes everything. */
  wipe(): void {
    this.#images.clear();
  }

  /** Applies a crash to all files. */
  crash(kind: CrashKind): void {
    if (kind === "kill") return;
    for (const image of this.#images.values()) {
      const kept = Math.floor(this.#random() * (image.unsynced.length + 1));
      for (const changes of image.unsynced.slice(0, kept)) apply(image.synced, changes);
      image.unsynced.length = 0;
      image.rows = new Map(image.synced);
      image.isShared = false;
    }
  }

  /** Takes back the damage that nobody has met. */
  mend(): void {
    for (const { damaged } of this.#images.values()) damaged.clear();
  }

  /** Damages a row of the databases whose name begins so. Returns false when there is none. */
  damage(prefix: string): boolean {
    const images = [...this.#images].filter(([name, { rows }]) => name.startsWith(prefix) && rows.size > 0);
    const image = images[Math.floor(this.#random() * images.length)]?.[1];
    if (image === undefined) return false;
    const name = [...image.rows.keys()][Math.floor(this.#random() * image.rows.size)];
    if (name === undefined) return false;
    image.damaged.add(name);
    return true;
  }
}

/** Never settles: nothing happens in a process that has ended. */
function forever(): Promise<never> {
  return new Promise(() => undefined);
}

function emptyImage(): Image {
  return { rows: new Map(), isShared: false, synced: new Map(), unsynced: [], damaged: new Set() };
}

function apply(rows: Rows, changes: BatchChanges): void {
  for (const [key, value] of changes) {
    if (value === undefined) rows.delete(mapKey(key));
    else rows.set(mapKey(key), value);
  }
}

class DiskStore implements Store {
  readonly damage = undefined;
  readonly #image: Image;
  readonly #name: string;
  readonly #access: DiskAccess & { readonly isForgetful: boolean };
  readonly #queue = new WriteQueue();

  constructor(image: Image, name: string, access: DiskAccess & { readonly isForgetful: boolean }) {
    this.#image = image;
    this.#name = name;
    this.#access = access;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const inFlight = this.#queue.lookup(key);
    return inFlight.found ? inFlight.value : this.#read(this.#image.rows, mapKey(key));
  }

  createBatch(): Batch {
    return new BatchChanges();
  }

  write(batch: Batch, { sync, before }: WriteOptions): Promise<void> {
    if (!(batch instanceof BatchChanges)) return Promise.reject(new TypeError("a batch of another store"));
    const { time, life, faults } = this.#access;
    return this.#queue.run(batch, async (): Promise<void> => {
      await before?.();
      await time.wait(faults.delayMs(), life);
      faults.onWrite();
      if (life.isOver) return forever();
      if (faults.isRefusing()) throw new Error("no space left on device");
      this.#apply(batch);
      if (sync) await this.#sync();
    });
  }

  #apply(changes: BatchChanges): void {
    const image = this.#image;
    if (image.isShared) image.rows = new Map(image.rows);
    image.isShared = false;
    apply(image.rows, changes);
    image.unsynced.push(changes);
    for (const [key] of changes) image.damaged.delete(mapKey(key));
  }

  async #sync(): Promise<void> {
    const { time, life, faults, isForgetful } = this.#access;
    await time.wait(faults.delayMs(), life);
    if (!isForgetful)
      for (const changes of this.#image.unsynced.splice(0)) apply(this.#image.synced, changes);
    faults.onWrite();
    if (life.isOver) await forever();
  }

  /** The chain's rows have checksums; trie nodes are checked against their hashes by their readers. */
  #read(rows: Rows, name: string): Uint8Array | undefined {
    const value = rows.get(name);
    if (value === undefined || !this.#image.damaged.has(name)) return value;
    if (this.#name === "chain" || this.#name === "blocks") {
      const key = Buffer.from(name, "latin1").toString("hex");
      throw new StoreError("corrupt", `row ${key} fails its checksum`);
    }
    const flipped = value.slice();
    flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1;
    return flipped;
  }

  async *#entries(rows: Rows, range: Range): AsyncGenerator<Row> {
    const found: Row[] = [];
    for (const name of rows.keys()) {
      const key = Buffer.from(name, "latin1");
      const isInside = compareBytes(key, range.from) >= 0 && compareBytes(key, range.to) < 0;
      if (isInside) found.push([key, this.#read(rows, name) ?? new Uint8Array(0)]);
    }
    found.sort(([a], [b]) => (range.reverse === true ? compareBytes(b, a) : compareBytes(a, b)));
    yield* range.limit === undefined ? found : found.slice(0, range.limit);
  }

  #share(): Rows {
    this.#image.isShared = true;
    return this.#image.rows;
  }

  entries(range: Range): AsyncIterable<Row> {
    return this.#entries(this.#share(), range);
  }

  snapshot(): Snapshot {
    const rows = this.#share();
    const entries = (range: Range): AsyncIterable<Row> => this.#entries(rows, range);
    return {
      get: (key) => this.#read(rows, mapKey(key)),
      entries,
      async *pages(range) {
        for await (const row of entries(range)) yield [row];
      },
      [Symbol.dispose]: () => undefined,
    };
  }

  dismissDamage(): Promise<void> {
    return Promise.resolve();
  }

  property(): undefined {
    return undefined;
  }

  bytesIn(): Promise<number> {
    return Promise.resolve(0);
  }

  compact(): Promise<void> {
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.idle;
  }
}
