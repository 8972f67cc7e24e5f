/**
 * Clones a LevelDB directory while it is written: table files never change, so they are linked; the manifest and the
 * write-ahead logs are copied. The clone holds the rows of one instant and opens as the directory would after a crash.
 */
import { link, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import { FILES_AT_ONCE, inParallel } from "../runtime/parallel.ts";
import { syncDirectory, writeSynced } from "../runtime/synced-file.ts";
import { StoreError } from "./error.ts";
import { DAMAGE_FILE } from "./level-failure.ts";
import { type EngineManifest, readManifest, readRegularFile, tableName } from "./live-tables.ts";

/** A compaction removes tables that the manifest named a moment before; the next manifest names others. */
const MAX_ATTEMPTS = 50;

/**
 * Clones `from` into `to`, which must not exist and lie on the same file system. Everything is synced to disk when it
 * resolves. Throws `StoreError` `failed` when files cannot be linked, or disappear again and again.
 */
export async function cloneLevel(from: string, to: string): Promise<void> {
  let missing: unknown;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      return await cloneOnce(from, to);
    } catch (error) {
      await rm(to, { recursive: true, force: true });
      if (codeOf(error) !== "ENOENT") throw cloneFailure(from, to, error);
      missing = error;
    }
  }
  throw cloneFailure(from, to, missing);
}

async function cloneOnce(from: string, to: string): Promise<void> {
  const manifest = await readManifest(from);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await inParallel(manifest.tables.map(tableName), FILES_AT_ONCE, async (name) => {
    await link(join(from, name), join(to, name)); // of a symbolic link, too
    if (!(await lstat(join(to, name))).isFile()) throw new RangeError(`${name} is not a regular file`);
  });
  for (const name of await logsOf(from, manifest)) await copyNow(join(from, name), join(to, name));
  await copyNow(join(from, DAMAGE_FILE), join(to, DAMAGE_FILE)).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  await writeSynced(join(to, manifest.name), manifest.bytes);
  await writeSynced(join(to, "CURRENT"), Buffer.from(`${manifest.name}\n`));
  await syncDirectory(to);
}

/**
 * The logs in the order of their rows. The oldest is there as long as the manifest is the newest: without it a table
 * has taken its rows meanwhile. A log whose successor is listed is complete.
 */
async function logsOf(directory: string, manifest: EngineManifest): Promise<readonly string[]> {
  const logs = (await readdir(directory))
    .filter((name) => /^\d+\.log$/.test(name) && Number.parseInt(name, 10) >= manifest.log)
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const [oldest = ""] = logs;
  if (Number.parseInt(oldest, 10) === manifest.log) return logs;
  throw Object.assign(new Error(`write-ahead log ${manifest.log} is missing`), { code: "ENOENT" });
}

async function copyNow(from: string, to: string): Promise<void> {
  await writeSynced(to, await readRegularFile(from));
}

function cloneFailure(from: string, to: string, cause: unknown): StoreError {
  return new StoreError("failed", `cannot clone ${from} to ${to}: ${messageOf(cause)}`, { cause });
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code; // of any realm
}
