/** Files of recorded results: a JSON value a line, packed. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

const pathOf = (name: string): string => join(import.meta.dirname, "../../vectors", name);

/** Reads the lines of a file of `test/vectors`, which the caller knows the type of. */
export function readRecordedLines<T>(name: string): T[] {
  const lines = gunzipSync(readFileSync(pathOf(name)))
    .toString()
    .split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

/** Writes the lines of a file of `test/vectors`. */
export function writeRecordedLines(name: string, values: readonly unknown[]): void {
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  writeFileSync(pathOf(name), gzipSync(text, { level: 9 }));
}
