/**
 * Opens a LevelDB directory of another program for reading, without a write to it. The engine itself changes what it
 * opens, so it gets a directory of links: its live table files are symbolic links to the originals, which never change;
 * manifest and write-ahead logs are copies. This works across file systems and takes no room.
 */
import { mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import { writeSynced } from "../runtime/synced-file.ts";
import { StoreError } from "./error.ts";
import { openLevelReader } from "./level-store.ts";
import { readManifest, readRegularFile, tableName } from "./live-tables.ts";
import type { Snapshot } from "./store.ts";

/** Links to the directory of another program. */
export interface LevelLinks {
  /** Resolves to false once the other program has written to the directory. */
  readonly isUnchanged: () => Promise<boolean>;
}

/** Rows of another program's directory. Disposing closes it; the links stay. */
export interface LinkedLevel extends Pick<Snapshot, "get" | "entries">, AsyncDisposable {}

/** Makes a new directory of links to a directory. Throws `StoreError` `failed`. */
export async function linkLevel(given: string, links: string): Promise<LevelLinks> {
  const directory = resolve(given);
  const before = await fingerprint(directory);
  await linkFiles(directory, links).catch((cause: unknown) => {
    throw new StoreError("failed", `cannot link ${directory}: ${messageOf(cause)}`, { cause });
  });
  return { isUnchanged: async () => (await fingerprint(directory)) === before };
}

/**
 * Opens the rows behind a directory of links, of which `cacheBytes` uncompressed are kept in memory. Several threads may
 * open one directory; the first one must close it last. Throws `StoreError` `corrupt` or `failed`.
 */
export async function openLinks(links: string, cacheBytes: number): Promise<LinkedLevel> {
  await using parts = new AsyncDisposableStack();
  const reader = parts.use(await openLevelReader(links, { checksums: false, cacheBytes }));
  const rows = parts.use(reader.snapshot());
  const open = parts.move();
  return {
    get: (key) => rows.get(key),
    entries: (range) => rows.entries(range),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function linkFiles(directory: string, links: string): Promise<void> {
  await rm(links, { recursive: true, force: true });
  await mkdir(links, { recursive: true, mode: 0o700 });
  const manifest = await readManifest(directory);
  for (const number of manifest.tables) {
    const name = tableName(number);
    await symlink(await tablePath(directory, name), join(links, name));
  }
  for (const name of await logNames(directory)) {
    if (Number.parseInt(name, 10) >= manifest.log)
      await writeSynced(join(links, name), await readRegularFile(join(directory, name)));
  }
  await writeSynced(join(links, manifest.name), manifest.bytes);
  await writeSynced(join(links, "CURRENT"), `${manifest.name}\n`);
}

/**
 * Returns the path of a table file: the engine's earlier versions called it `.sst`. Throws `RangeError` for a pipe, a
 * device or a directory.
 */
async function tablePath(directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  for (const each of [path, path.replace(/ldb$/, "sst")]) {
    const found = await stat(each).catch(() => undefined);
    if (found?.isFile() === false) throw new RangeError(`${each} is not a regular file`);
    if (found !== undefined) return each;
  }
  return path; // the engine says that it is missing
}

async function logNames(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => /^\d+\.log$/.test(name)).toSorted();
}

/** Returns what changes with every write: the manifest in use and the sizes and times of it and of the logs. */
async function fingerprint(directory: string): Promise<string> {
  const current = await readRegularFile(join(directory, "CURRENT")).catch(() => "");
  const names = [current.toString().trim(), ...(await logNames(directory).catch(() => []))];
  const facts = names.map(async (name) => {
    const found = await stat(join(directory, name)).catch(() => undefined);
    return `${name} ${found?.size} ${found?.mtimeMs}`;
  });
  return (await Promise.all(facts)).join("\n");
}
