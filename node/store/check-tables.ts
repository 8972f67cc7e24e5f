/** Checks the table files of a directory, before the engine meets what is wrong with them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "./error.ts";
import { liveTables } from "./live-tables.ts";
import { tableFault } from "./table-file.ts";

/** Bytes that are checked whenever a directory is opened: a fraction of a second. */
const AT_OPENING = 32 * 1024 * 1024;

/** Checks the newest of them, which take up to 32 MiB. Throws `StoreError` `corrupt` at the first that is damaged. */
export async function checkNewestTables(directory: string): Promise<void> {
  await check(directory, AT_OPENING);
}

/** Checks all of them. Gives way between files. Throws as `checkNewestTables` does; the bytes of all files. */
export function checkAllTables(directory: string): Promise<number> {
  return check(directory, Number.POSITIVE_INFINITY);
}

async function check(directory: string, limit: number): Promise<number> {
  let bytes = 0;
  for (const number of await liveTables(directory)) {
    if (bytes >= limit) break;
    const name = `${String(number).padStart(6, "0")}.ldb`;
    const file = await readFile(join(directory, name)).catch(() => undefined);
    if (file === undefined) continue; // merged away meanwhile; the engine tells of one that is missing
    const fault = tableFault(file);
    if (fault !== undefined) throw new StoreError("corrupt", `${directory} is damaged: ${name}: ${fault}`);
    bytes += file.length;
  }
  return bytes;
}
