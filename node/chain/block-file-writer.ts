/**
 * Writes chain files, whole or not at all: the blocks go to a file beside the named one, which gets its name
 * when everything is on disk. A file that is there already is never replaced.
 */
import { createWriteStream } from "node:fs";
import { access, link, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { messageOf } from "../bytes/message-of.ts";
import { syncDirectory } from "../runtime/synced-file.ts";
import { ChainError } from "./error.ts";

/** Writes raw blocks to a new file, gzip when its name ends in `.gz`. Throws `ChainError` `bad-file`. */
export async function writeBlockFile(
  path: string,
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  await refuseExisting(path);
  const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    await writeAll(unfinished, blocks, path.endsWith(".gz"));
    await giveName(unfinished, path);
  } catch (cause) {
    if (cause instanceof ChainError || isAbort(cause)) throw cause;
    throw new ChainError("bad-file", `cannot write ${path}: ${messageOf(cause)}`, { cause });
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Throws `ChainError` `bad-file` when something has that name already. */
export async function refuseExisting(path: string): Promise<void> {
  if (await exists(path)) throw overwriting();
}

async function writeAll(
  path: string,
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  packed: boolean,
): Promise<void> {
  const steps: (Readable | Transform)[] = [Readable.from(blocks, { objectMode: true })];
  if (packed) steps.push(createGzip());
  // left over by an earlier process with this number: nobody else writes such names
  await pipeline([...steps, createWriteStream(path, { flags: "w", flush: true })]);
}

/** A link refuses a name that is taken, a rename does not; some file systems have no links. */
async function giveName(unfinished: string, path: string): Promise<void> {
  try {
    await link(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || (await exists(path))) throw overwriting();
    await rename(unfinished, path);
  }
  await syncDirectory(dirname(path));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function overwriting(): ChainError {
  return new ChainError("bad-file", "location would overwrite an existing file");
}

function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | undefined)?.name === "AbortError";
}
