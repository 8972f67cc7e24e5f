/** Checks the table files of a directory, before the engine meets what is wrong with them. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "./error.ts";
import { liveTables, tableName } from "./live-tables.ts";
import { tableFault } from "./table-file.ts";

/** Runs the check of one file. It may yield between its steps, and rest after it. */
export type RunCheck = <Result>(steps: Generator<undefined, Result>) => Promise<Result>;

/**
 * Bytes that are checked whenever a directory is opened, in some twenty milliseconds: what opening merges is the newest.
 * A running node reads the rest.
 */
const AT_OPENING = 8 * 1024 * 1024;

/** Checks the newest of them, which take up to 8 MiB. Throws `StoreError` `corrupt` at the first that is damaged. */
export async function checkNewestTables(directory: string): Promise<void> {
  await check(directory, AT_OPENING, (path) => Promise.try(() => readFileSync(path)), runAtOnce);
}

/** Checks all of them. Throws as `checkNewestTables` does, or as `run` does; the bytes of all files. */
export function checkAllTables(directory: string, run: RunCheck): Promise<number> {
  return check(directory, Number.POSITIVE_INFINITY, readFile, run);
}

async function check(
  directory: string,
  limit: number,
  read: (path: string) => Promise<Uint8Array>,
  run: RunCheck,
): Promise<number> {
  let bytes = 0;
  for (const number of await liveTables(directory)) {
    if (bytes >= limit) break;
    const name = tableName(number);
    const file = await read(join(directory, name)).catch(() => undefined);
    if (file === undefined) continue; // merged away meanwhile; the engine reports one that is missing
    const fault = await run(tableFault(file));
    if (fault !== undefined) throw new StoreError("corrupt", `${directory} is damaged: ${name}: ${fault}`);
    bytes += file.length;
  }
  return bytes;
}

async function runAtOnce<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
