/**
 * Table files that a receiver has from a copy that was interrupted. It names them by marks, and the sender leaves them
 * out. A mark stands for a path and its SHA-256, so files of another sender, or damaged ones, are sent again.
 */
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { inParallel } from "../runtime/parallel.ts";
import { type ArchiveFile, PARALLEL } from "./archive.ts";
import { DATABASES } from "./manifest.ts";
import type { TableHashes } from "./table-hashes.ts";

/** Length of a mark. */
export const MARK_BYTES = 8;
/** Maximum number of marks: a terabyte of tables, in 4 MiB. */
export const MAX_MARKS = 2 ** 19;

/** A set of marks, in order: as texts of a `Set` half a million would take tens of megabytes. */
export class KeptTables {
  readonly #marks: BigUint64Array;

  /** Takes marks one after another, in any order. Throws `RangeError` where the bytes are no whole number of marks. */
  constructor(marks: Uint8Array) {
    // a copy, which is aligned
    this.#marks = new BigUint64Array(Uint8Array.from(marks).buffer).sort();
  }

  get size(): number {
    return this.#marks.length;
  }

  /** The marks as they are sent. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.#marks.buffer);
  }

  has(file: ArchiveFile): boolean {
    const [mark] = new BigUint64Array(markOf(file).buffer);
    let [low, high] = [0, this.#marks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#marks[middle] as bigint;
      if (found === mark) return true;
      if (found < (mark as bigint)) low = middle + 1;
      else high = middle;
    }
    return false;
  }
}

const NO_MARK = new Uint8Array(0);
/** No tables. */
export const NO_TABLES = new KeptTables(NO_MARK);

/**
 * Reads the tables of a draft whose hashes are not known; one that cannot be read is not kept. An absent draft has none.
 */
export async function readKeptTables(
  draft: string,
  hashes: TableHashes,
  signal: AbortSignal,
): Promise<KeptTables> {
  const databases = join(draft, DATABASES);
  const entries = await readdir(databases, { recursive: true, withFileTypes: true }).catch(() => []);
  const tables = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".ldb")).slice(0, MAX_MARKS);
  const marks = await inParallel(tables, PARALLEL, async ({ parentPath, name }) => {
    signal.throwIfAborted();
    const path = relative(draft, join(parentPath, name)).split(sep).join("/");
    const sha256 = await hashOf(draft, path, hashes).catch(() => undefined);
    return sha256 === undefined ? NO_MARK : markOf({ path, sha256 });
  });
  return new KeptTables(Buffer.concat(marks));
}

async function hashOf(draft: string, path: string, hashes: TableHashes): Promise<string> {
  const { size } = await stat(join(draft, path));
  const file = { path, size };
  return (await hashes.find(draft, file)) ?? (await hashes.hash(draft, file));
}

/** Returns the mark of a file in bytes of its own. */
function markOf({ path, sha256 }: Pick<ArchiveFile, "path" | "sha256">): Uint8Array {
  const digest = createHash("sha256").update(`${path} ${sha256}`).digest();
  return Uint8Array.from(digest.subarray(0, MARK_BYTES));
}
