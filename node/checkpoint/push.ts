/** Sends a checkpoint to a store: the files that it lacks, several at a time, and the signed manifest at the end. */
import type { Address } from "../bytes/brands.ts";
import { inParallel } from "../runtime/parallel.ts";
import {
  type ArchiveFile,
  type ArchiveStore,
  FILES,
  manifestName,
  PARALLEL,
  signManifest,
} from "./archive.ts";
import { type CheckpointFile, readCheckpointManifest, sha256Of, totalBytes } from "./manifest.ts";
import type { TableHashes } from "./table-hashes.ts";

/** A checkpoint to send, and the node key that signs its manifest. */
export interface PushOptions extends FileWork {
  readonly directory: string;
  readonly key: Uint8Array;
  readonly address: Address;
  /** Hashes of the tables that were read before, and of those that are read now. */
  readonly hashes: TableHashes;
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
 * Sends a checkpoint. Files that the store has are not sent again, so a push that was interrupted goes on; those whose hash
 * is known are not even read. Throws `CheckpointError`, or the signal's reason; the archive is then without this checkpoint.
 */
export async function pushCheckpoint(store: ArchiveStore, options: PushOptions): Promise<Pushed> {
  const { directory, signal, hashes } = options;
  const manifest = await readCheckpointManifest(directory);
  hashes.retain(manifest.files);
  await store.prepare();
  const present = new Map((await store.list(FILES, signal)).map(({ name, size }) => [name, size]));
  const sent = { files: 0, bytes: 0 };
  const files = await eachFile(manifest.files, options, async (file): Promise<ArchiveFile> => {
    const { path, size } = file;
    const known = await hashes.find(directory, file);
    if (known !== undefined && present.get(FILES + known) === size) return { path, size, sha256: known };
    const { bytes, sha256 } = await hashes.read(directory, file);
    if (present.get(FILES + sha256) !== size) {
      await store.write(FILES + sha256, bytes, sha256, signal);
      sent.files++;
      sent.bytes += size;
    }
    return { path, size, sha256 };
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
