/**
 * The write-ahead log of a LevelDB directory. The engine begins a new file when its buffer is full and does not sync the
 * old one, whose rows are in a table only later; a synced write syncs the newest file alone
 * (`DBImpl::MakeRoomForWrite`, `DBImpl::Write`). After a power failure in between, rows of the old file would be missing
 * behind which later ones are there. So before a synced write all files are synced, where there may be several.
 */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Size of a batch. */
export interface BatchSize {
  readonly size: number;
  readonly bytes: number;
}

/** Bytes that an entry of the engine's buffer takes besides key and value, at most. */
const ENTRY_BYTES = 48;
/** The buffer grows in blocks of 4 KiB, of which a fourth may stay empty. */
const MAX_GROWTH = 4 / 3;
const BLOCK_BYTES = 4096;

/** The engine's buffer of a directory, and who writes there. */
export interface WriteAheadOptions {
  /** Size at which the engine begins a new file. */
  readonly bufferBytes: number;
  /** True when other threads write too: what they have written is not counted here. */
  readonly hasWriters: boolean;
}

/** The files of one directory. Writes must follow one another. */
export class WriteAheadLog {
  readonly #directory: string;
  readonly #options: WriteAheadOptions;
  /** Newest file when the directory was last listed. */
  #newest: string | undefined;
  /** Bytes in the engine's buffer, at most. */
  #buffered = 0;
  /** Of these, those since the directory was last listed. */
  #sinceListing = 0;
  #hasUnsynced = false;
  /** Compactions that run: each begins a new file at some instant. */
  #compactions = 0;

  constructor(directory: string, options: WriteAheadOptions) {
    this.#directory = directory;
    this.#options = options;
  }

  /** Prepares a write: before a synced one, earlier rows are on disk when this resolves, or in the file that it syncs. */
  async prepare({ size, bytes }: BatchSize, sync: boolean): Promise<void> {
    const growth = MAX_GROWTH * (bytes + ENTRY_BYTES * size) + BLOCK_BYTES;
    this.#buffered += growth;
    this.#sinceListing += growth;
    const { bufferBytes, hasWriters } = this.#options;
    const isOneFile = this.#buffered < bufferBytes && this.#compactions === 0;
    if (sync && (hasWriters || (this.#hasUnsynced && !isOneFile))) await this.#syncFiles(growth);
    this.#hasUnsynced = !sync;
  }

  /** To be called before a compaction, and disposed of behind it, when the rows of the old file are in a table. */
  expectNewFile(): Disposable {
    this.#compactions++;
    return { [Symbol.dispose]: () => void this.#compactions-- };
  }

  async #syncFiles(growth: number): Promise<void> {
    const files = (await readdir(this.#directory)).filter((name) => name.endsWith(".log"));
    files.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    for (const name of files) await syncFile(join(this.#directory, name));
    const newest = files.at(-1);
    if (newest !== this.#newest) this.#buffered = this.#sinceListing;
    this.#newest = newest;
    this.#sinceListing = growth; // which may come to be in a newer file
  }
}

async function syncFile(path: string): Promise<void> {
  try {
    await using file = await open(path, "r");
    await file.datasync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // its rows are in a table
  }
}
