/**
 * Lists the live table files of a directory from its manifest (leveldb `doc/log_format.md`,
 * `db/version_edit.cc`).
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineCursor } from "./engine-bytes.ts";

const BLOCK_BYTES = 32_768;
/** Checksum, length and kind of a record's part. */
const HEAD_BYTES = 7;
const LAST_PART = new Set([1, 4]);

/**
 * The numbers of the table files, the newest first; none when there is no manifest that can be read: the engine says
 * what is wrong with it.
 */
export async function liveTables(directory: string): Promise<readonly number[]> {
  try {
    const current = await readFile(join(directory, "CURRENT"), "utf8");
    const live = new Set<string>();
    for (const edit of recordsOf(await readFile(join(directory, current.trim())))) applyEdit(live, edit);
    return [...live].map((file) => Number(file.split(":")[1])).toSorted((a, b) => b - a);
  } catch {
    return [];
  }
}

function* recordsOf(log: Uint8Array): Generator<Uint8Array> {
  let parts: Uint8Array[] = [];
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEAD_BYTES) {
      at += left;
      continue;
    }
    const length = (log[at + 4] as number) | ((log[at + 5] as number) << 8); // in range: tested by the loop
    parts.push(new EngineCursor(log, at + HEAD_BYTES).take(length));
    if (LAST_PART.has(log[at + 6] as number)) {
      yield Buffer.concat(parts);
      parts = [];
    }
    at += HEAD_BYTES + length;
  }
}

/** Fields of an edit by tag: only added and deleted files matter here. */
const FIELDS: Readonly<Record<number, (cursor: EngineCursor, live: Set<string>) => void>> = {
  1: (cursor) => void cursor.text(),
  2: (cursor) => void cursor.varint(),
  3: (cursor) => void cursor.varint(),
  4: (cursor) => void cursor.varint(),
  5: (cursor) => void [cursor.varint(), cursor.text()],
  6: (cursor, live) => void live.delete(`${cursor.varint()}:${cursor.varint()}`),
  7: (cursor, live) => {
    live.add(`${cursor.varint()}:${cursor.varint()}`);
    void [cursor.varint(), cursor.text(), cursor.text()]; // size, first and last key
  },
  9: (cursor) => void cursor.varint(),
};

/** In an edit what goes stands before what comes. */
function applyEdit(live: Set<string>, edit: Uint8Array): void {
  const cursor = new EngineCursor(edit);
  while (!cursor.isAtEnd) {
    const field = FIELDS[cursor.varint()];
    if (field === undefined) throw new RangeError("an edit of another version");
    field(cursor, live);
  }
}
