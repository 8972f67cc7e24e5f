/** Sends a checkpoint to a store: the files that it lacks, several at a time, and the signed manifest at the end. */
import { subtle } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Address } from "../bytes/brands.ts";
import { bareHex } from "../bytes/hex.ts";
import { inParallel } from "../runtime/parallel.ts";
import {
  type ArchiveFile,
  type ArchiveStore,
  FILES,
  manifestName,
  PARALLEL,
  signManifest,
} from "./archive.ts";
import { CheckpointError } from "./error.ts";
import { type CheckpointFile, readCheckpointManifest, requireSize, totalBytes } from "./manifest.ts";

/** A checkpoint to send, and the node key that signs its manifest. */
export interface PushOptions extends FileWork {
  readonly directory: string;
  readonly key: Uint8Array;
  readonly address: Address;
}

/** Name of the manifest, and what had to be sent. */
export interface Pushed {
  readonly name: string;
  readonly files: number;
  readonly sentFiles: number;
  readonly bytes: number;
  readonly sentBytes: number;
}

/**
 * Sends a checkpoint. Files that the store has are not sent again, so a push that was interrupted goes on. Throws
 * `CheckpointError`, or the signal's reason; the archive is then without this checkpoint.
 */
export async function pushCheckpoint(store: ArchiveStore, options: PushOptions): Promise<Pushed> {
  const { directory, signal } = options;
  const manifest = await readCheckpointManifest(directory);
  await store.prepare();
  const present = new Map((await store.list(FILES, signal)).map(({ name, size }) => [name, size]));
  const sent = { files: 0, bytes: 0 };
  const files = await eachFile(manifest.files, options, async (file): Promise<ArchiveFile> => {
    const bytes = await readListed(directory, file);
    const sha256 = await sha256Of(bytes);
    if (present.get(FILES + sha256) !== file.size) {
      await store.write(FILES + sha256, bytes, sha256, signal);
      sent.files++;
      sent.bytes += file.size;
    }
    return { path: file.path, size: file.size, sha256 };
  });
  const name = manifestName(manifest);
  const text = Buffer.from(signManifest({ ...manifest, files }, options.key, options.address));
  await store.write(name, text, await sha256Of(text), signal);
  return {
    name,
    files: files.length,
    sentFiles: sent.files,
    bytes: totalBytes(files),
    sentBytes: sent.bytes,
  };
}

/** Reads a file of a checkpoint. Throws `CheckpointError` `bad-file` when it is missing or of another size. */
export async function readListed(directory: string, file: CheckpointFile): Promise<Uint8Array> {
  const bytes = await readFile(join(directory, file.path)).catch((cause: NodeJS.ErrnoException) => {
    throw new CheckpointError("bad-file", `cannot read ${file.path}: ${cause.message}`, { cause });
  });
  requireSize(file, bytes.length);
  return bytes;
}

/** Returns the SHA-256 as 64 hex digits. It is computed beside the main thread, which a large file would hold. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  return bareHex(new Uint8Array(await subtle.digest("SHA-256", bytes)));
}

/** Signal and progress of work on the files of a checkpoint. */
export interface FileWork {
  readonly signal: AbortSignal;
  /** Called with the bytes of the files that are done, of all. */
  readonly onBytes: (done: number, total: number) => void;
}

/** Does the work for each file of a checkpoint, a few at a time; results are in order. The first failure ends it. */
export async function eachFile<F extends CheckpointFile, R>(
  files: readonly F[],
  { signal, onBytes }: FileWork,
  work: (file: F) => Promise<R>,
): Promise<R[]> {
  const total = totalBytes(files);
  let done = 0;
  return await inParallel(files, PARALLEL, async (file) => {
    signal.throwIfAborted();
    const result = await work(file);
    done += file.size;
    onBytes(done, total);
    return result;
  });
}
