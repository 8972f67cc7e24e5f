/** The recorded slice of the oracle of transaction bytes: cases of this project with the Go node's results, a line each. */
import type { BytesCase, BytesResult } from "./bytes-case.ts";
import { bytesCase, codeOf, mutationOf } from "./bytes-cases.ts";
import { readRecordedLines, writeRecordedLines } from "./recorded-lines.ts";

const FILE = "transaction-bytes.jsonl.gz";

/** A case and the Go node's result. */
export interface RecordedBytes {
  readonly one: BytesCase;
  readonly result: BytesResult;
}

const SEED = 1;
/** Numbers of cases that are looked through, the length in hex of one worth recording, and cases of each kind. */
const NUMBERS = 12_000;
const MAX_HEX = 1000;
const MAX_CASES = 8;

/** Returns cases to record: as many of each mutation of each type. */
export function bytesToRecord(): BytesCase[] {
  const counts = new Map<string, number>();
  const chosen: BytesCase[] = [];
  for (let number = 0; number < NUMBERS; number++) {
    const kind = `${codeOf(number)} ${mutationOf(number)}`;
    const count = counts.get(kind) ?? 0;
    if (count >= MAX_CASES) continue;
    const one = bytesCase(SEED, number);
    if (one.bytes.length > MAX_HEX) continue;
    counts.set(kind, count + 1);
    chosen.push(one);
  }
  return chosen;
}

/** Reads the recorded cases. */
export function readRecordedBytes(): RecordedBytes[] {
  return readRecordedLines(FILE);
}

/** Writes the recorded cases. */
export function writeRecordedBytes(cases: readonly RecordedBytes[]): void {
  writeRecordedLines(FILE, cases);
}
