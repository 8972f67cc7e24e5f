/**
 * Reads the manifest of a directory: its live table files and its write-ahead log (leveldb `doc/log_format.md`,
 * `db/version_edit.cc`).
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { EngineCursor } from "./engine-bytes.ts";

const BLOCK_BYTES = 32_768;
/** Checksum, length and kind of a record's part. */
const HEAD_BYTES = 7;
const LAST_PART = new Set([1, 4]);
/** Names of manifests: anything else in `CURRENT` could be the path of another file. */
const MANIFEST_NAME = /^MANIFEST-\d{1,18}$/;

/** A manifest up to its last complete record. */
export interface EngineManifest {
  /** Name of its file. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Numbers of the table files, the newest first. */
  readonly tables: readonly number[];
  /** Number of the oldest write-ahead log whose rows are in no table. */
  readonly log: number;
}

/** The file name of a table. */
export function tableName(number: number): string {
  return `${String(number).padStart(6, "0")}.ldb`;
}

/**
 * Reads the manifest that `CURRENT` names. A last record that is not complete is left out, as the engine does. Throws
 * an error of the file system, or `RangeError`, also for a manifest under which the engine would write over a table.
 */
export async function readManifest(directory: string): Promise<EngineManifest> {
  const name = (await readRegularFile(join(directory, "CURRENT"))).toString("utf8").trim();
  if (!MANIFEST_NAME.test(name)) throw new RangeError("CURRENT does not name a manifest");
  const bytes = await readRegularFile(join(directory, name));
  const files: EngineFiles = { live: new Set(), log: 0, next: 0 };
  let end = 0;
  for (const record of recordsOf(bytes)) {
    applyEdit(files, record.edit);
    end = record.end;
  }
  const tables = [...files.live].map((file) => Number(file.split(":")[1])).toSorted((a, b) => b - a);
  const [newest = -1] = tables;
  if (newest >= files.next)
    throw new RangeError(`${name}: table ${newest} is not below next file ${files.next}`);
  return { name, bytes: bytes.subarray(0, end), tables, log: files.log };
}

/** Reads a file. Throws an error of the file system, or `RangeError` for a pipe, a device or a directory. */
export async function readRegularFile(path: string): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe would wait for a writer
  if (!(await file.stat()).isFile()) throw new RangeError(`${path} is not a regular file`);
  return await file.readFile();
}

/**
 * The numbers of the table files, the newest first; none when there is no manifest that can be read: the engine says
 * what is wrong with it.
 */
export async function liveTables(directory: string): Promise<readonly number[]> {
  try {
    return (await readManifest(directory)).tables;
  } catch {
    return [];
  }
}

function* recordsOf(log: Uint8Array): Generator<{ readonly edit: Uint8Array; readonly end: number }> {
  let parts: Uint8Array[] = [];
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEAD_BYTES) {
      at += left;
      continue;
    }
    const length = (log[at + 4] as number) | ((log[at + 5] as number) << 8); // in range: tested by the loop
    const end = at + HEAD_BYTES + length;
    if (end > log.length) return;
    parts.push(log.subarray(at + HEAD_BYTES, end));
    if (LAST_PART.has(log[at + 6] as number)) {
      yield { edit: Buffer.concat(parts), end };
      parts = [];
    }
    at = end;
  }
}

interface EngineFiles {
  /** Level and number of each live table. */
  readonly live: Set<string>;
  log: number;
  /** Number of the next file that the engine creates. */
  next: number;
}

/** Fields of an edit by tag: tables, the log and the next file matter here. */
const FIELDS: Readonly<Record<number, (cursor: EngineCursor, files: EngineFiles) => void>> = {
  1: (cursor) => void cursor.text(),
  2: (cursor, files) => {
    files.log = cursor.varint();
  },
  3: (cursor, files) => {
    files.next = cursor.varint();
  },
  4: (cursor) => void cursor.varint(),
  5: (cursor) => void [cursor.varint(), cursor.text()],
  6: (cursor, { live }) => void live.delete(`${cursor.varint()}:${cursor.varint()}`),
  7: (cursor, { live }) => {
    live.add(`${cursor.varint()}:${cursor.varint()}`);
    void [cursor.varint(), cursor.text(), cursor.text()]; // size, first and last key
  },
  9: (cursor) => void cursor.varint(),
};

/** In an edit what goes stands before what comes. */
function applyEdit(files: EngineFiles, edit: Uint8Array): void {
  const cursor = new EngineCursor(edit);
  while (!cursor.isAtEnd) {
    const field = FIELDS[cursor.varint()];
    if (field === undefined) throw new RangeError("an edit of another version");
    field(cursor, files);
  }
}
