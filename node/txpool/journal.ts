/**
 * The journal keeps the transactions of local accounts over a restart: their raw forms, concatenated. It is read once,
 * appended to while the node runs, and rewritten at intervals, which bounds its size. The new file is complete on disk
 * before it replaces the old one.
 */
import { renameSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { concatBytes } from "../bytes/compare.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import type { Log } from "../observe/log.ts";

/** Path of a journal and the longest transaction in it, in bytes. */
export interface JournalOptions {
  readonly path: string;
  readonly maxTransaction: number;
  readonly log: Log;
}

/** Transactions of one batch. */
const BATCH = 1025;

/** Reads the journal in batches. Ends with a warning at the first bytes that are no transaction. */
export async function* readJournal({
  path,
  maxTransaction,
  log,
}: JournalOptions): AsyncGenerator<Transaction[]> {
  await using file = await openIfThere(path);
  if (!file) return;
  let batch: Transaction[] = [];
  for await (const raw of frames(file, { path, maxTransaction, log })) {
    const transaction = decodeOrUndefined(raw);
    if (!transaction) {
      log.warn({ path, read: batch.length }, "rest of the journal cannot be read");
      break;
    }
    batch.push(transaction);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Yields each transaction's bytes. Holds at most two of the longest. */
async function* frames(
  file: FileHandle,
  { path, maxTransaction, log }: JournalOptions,
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(2 * maxTransaction);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, null);
    filled += bytesRead;
    let at = 0;
    for (;;) {
      const length = frameLength(buffer.subarray(0, filled), at, maxTransaction);
      const cut = length === "incomplete" || (typeof length === "number" && at + length > filled);
      if (cut) break;
      if (length === "damaged") {
        log.warn({ path }, "rest of the journal is damaged");
        return;
      }
      yield buffer.slice(at, at + length);
      at += length;
    }
    buffer.copyWithin(0, at, filled);
    filled -= at;
    if (bytesRead === 0) {
      if (filled > 0) log.warn({ path, bytes: filled }, "journal ends within a transaction");
      return;
    }
  }
}

function decodeOrUndefined(raw: Uint8Array): Transaction | undefined {
  try {
    return decodeTransaction(raw);
  } catch {
    return undefined; // the caller ends reading here and says so
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // fs errors carry a code
    throw error;
  }
}

/** The journal while the node runs. Nothing is written before the first rotation. */
export class Journal implements AsyncDisposable {
  readonly #path: string;
  readonly #log: Log;
  #file: FileHandle | undefined;
  /** Transactions appended while a new file is being written. */
  #meanwhile: Uint8Array[] | undefined;
  #rotation: Promise<void> | undefined;

  constructor({ path, log }: Pick<JournalOptions, "path" | "log">) {
    this.#path = path;
    this.#log = log;
  }

  /** Writes a transaction to the file before it returns. A failed write ends appending until the next rotation. */
  append(transaction: Pick<Transaction, "raw">): void {
    this.#meanwhile?.push(transaction.raw);
    if (!this.#file) return;
    try {
      writeAll(this.#file, transaction.raw);
    } catch (error) {
      this.#log.error({ path: this.#path, error }, "cannot write to the transaction journal");
      this.#release(this.#file);
    }
  }

  /** Replaces the file by one with `transactions` and those appended meanwhile. One rotation runs at a time. */
  async rotate(transactions: readonly Pick<Transaction, "raw">[]): Promise<void> {
    this.#rotation ??= this.#rewrite(transactions).finally(() => (this.#rotation = undefined));
    return this.#rotation;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rotation?.catch(() => undefined); // the caller of the rotation sees it
    await this.#file?.close();
    this.#file = undefined;
  }

  async #rewrite(transactions: readonly Pick<Transaction, "raw">[]): Promise<void> {
    const temporary = `${this.#path}.new`;
    const meanwhile: Uint8Array[] = [];
    this.#meanwhile = meanwhile;
    const next = await open(temporary, "w");
    try {
      for (let at = 0; at < transactions.length; at += BATCH) {
        const batch = transactions.slice(at, at + BATCH);
        await next.writeFile(concatBytes(...batch.map(({ raw }) => raw)));
      }
      await next.datasync();
      // From here to the switch nothing waits, so nothing can be appended in between.
      for (const raw of meanwhile) writeAll(next, raw);
      renameSync(temporary, this.#path);
    } catch (error) {
      await next.close();
      throw error;
    } finally {
      this.#meanwhile = undefined;
    }
    const old = this.#file;
    this.#file = next;
    if (old) await old.close();
  }

  #release(file: FileHandle): void {
    this.#file = undefined;
    file
      .close()
      .catch((error: unknown) => this.#log.debug({ error }, "cannot close the transaction journal"));
  }
}

/** Writes all of `bytes`; a system call may take less. */
function writeAll(file: FileHandle, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
}

/** A length in bytes; `incomplete` when the input ends too early, `damaged` when it is no transaction. */
export type FrameLength = number | "incomplete" | "damaged";

const MAX_PREFIX = 2;

/**
 * Returns the length of the transaction at `at`; more than `limit` bytes count as damage. Reads the header itself, because
 * the readers of `bytes/` refuse an item that ends after the bytes read so far.
 */
export function frameLength(bytes: Uint8Array, at: number, limit: number): FrameLength {
  let list = at;
  while (list - at < MAX_PREFIX && (bytes[list] ?? 0xff) < 0x80) list++;
  const first = bytes[list];
  if (first === undefined) return "incomplete";
  if (first < 0xc0) return "damaged";
  const lengthBytes = first < 0xf8 ? 0 : first - 0xf7;
  if (list + lengthBytes >= bytes.length && lengthBytes > 0) return "incomplete";
  let length = first < 0xf8 ? first - 0xc0 : 0;
  for (let i = 1; i <= lengthBytes; i++) length = length * 256 + (bytes[list + i] as number); // checked above
  const total = list - at + 1 + lengthBytes + length;
  return total > limit ? "damaged" : total;
}
