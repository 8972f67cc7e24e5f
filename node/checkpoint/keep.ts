/** Upkeep of an archive: a checkpoint is read back, and old checkpoints are deleted with the files that none needs. */
import {
  type ArchiveFile,
  type ArchiveManifest,
  type ArchiveStore,
  FILES,
  MANIFESTS,
  type StoredName,
} from "./archive.ts";
import { CheckpointError } from "./error.ts";
import { sha256Of } from "./manifest.ts";
import { readArchived } from "./pull.ts";
import { eachFile, type FileWork } from "./push.ts";

/** Work that reads a checkpoint back. */
export interface ReadBackWork extends FileWork {
  /** Sends a file again. */
  readonly resend: (file: ArchiveFile) => Promise<void>;
}

/**
 * Reads every file of an archived checkpoint and compares it with its SHA-256. One that is missing or has other bytes is
 * sent again, because later pushes would go by its name and size. Throws `CheckpointError` `bad-file` for one that is wrong
 * even then.
 */
export async function readBack(
  store: ArchiveStore,
  manifest: ArchiveManifest,
  work: ReadBackWork,
): Promise<void> {
  await eachFile(manifest.files, work, async (file) => {
    if (await isSound(store, file, work.signal)) return;
    await work.resend(file);
    if (!(await isSound(store, file, work.signal)))
      throw new CheckpointError("bad-file", `the archive returns other bytes for ${file.path}`);
  });
}

/** False for a file that is missing in the archive, or has other bytes there. */
async function isSound(
  store: ArchiveStore,
  { size, sha256 }: ArchiveFile,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const bytes = await store.read(FILES + sha256, size, signal);
    return bytes.length === size && (await sha256Of(bytes)) === sha256;
  } catch (error) {
    if (error instanceof CheckpointError && error.code === "bad-file") return false;
    throw error;
  }
}

/** Checkpoints that an archive keeps. */
export interface KeepOptions {
  /** Chain whose checkpoints are counted and deleted, as `0x` text of the hash of block 0. */
  readonly genesisHash: string;
  /** Number of newest checkpoints that stay. */
  readonly keep: number;
  /** Name of the manifest that was just sent: it stays, and counts first, wherever its head is. */
  readonly pushed: string;
  /** Files that were written later stay, because another sender may need them; milliseconds since the epoch. */
  readonly before: number;
  readonly signal: AbortSignal;
}

/** Names that were deleted. */
export interface Deleted {
  readonly checkpoints: number;
  readonly files: number;
}

/**
 * Deletes all but the checkpoints of a chain that were written last, then the files that no checkpoint of the archive
 * needs. While a manifest cannot be read, no file is deleted. An interrupted deletion goes on when it is run again. Throws
 * `CheckpointError` `failed`, with nothing deleted, where the archive does not list what was sent.
 */
export async function keepNewest(store: ArchiveStore, options: KeepOptions): Promise<Deleted> {
  const { genesisHash, keep, pushed, before, signal } = options;
  const needed = new Set<string>();
  let checkpoints = 0;
  let kept = 0;
  let areAllRead = true;
  for (const name of await newestNames(store, pushed, signal)) {
    const manifest = await readOrSkip(store, name, signal);
    const isOwn = manifest?.genesisHash === genesisHash;
    if (isOwn && kept >= keep) {
      await store.remove(name, signal);
      checkpoints++;
    } else if (manifest === undefined) areAllRead = false;
    else {
      if (isOwn) kept++;
      for (const { sha256 } of manifest.files) needed.add(FILES + sha256);
    }
  }
  const files = areAllRead ? await deleteUnneeded(store, needed, { before, signal }) : 0;
  for (const prefix of [FILES, MANIFESTS]) await store.removeUnfinished(prefix, before, signal);
  return { checkpoints, files };
}

/** Deletes the old files that are not needed; returns their number. */
async function deleteUnneeded(
  store: ArchiveStore,
  needed: ReadonlySet<string>,
  { before, signal }: Pick<KeepOptions, "before" | "signal">,
): Promise<number> {
  let files = 0;
  for (const { name, writtenAt } of await store.list(FILES, signal)) {
    if (needed.has(name) || writtenAt >= before) continue;
    await store.remove(name, signal);
    files++;
  }
  return files;
}

/**
 * Returns the names of the manifests, the last written first: after a rewind the newest checkpoint has a lower head than
 * those before it. Heads decide where the store does not say the time.
 */
async function newestNames(
  store: ArchiveStore,
  pushed: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const listed = (await store.list(MANIFESTS, signal)).filter(({ name }) => name.endsWith(".json"));
  if (!listed.some(({ name }) => name === pushed))
    throw new CheckpointError("failed", `the archive does not list ${pushed}, so nothing is deleted there`);
  const timeOf = ({ name, writtenAt }: StoredName): number =>
    name === pushed ? Number.POSITIVE_INFINITY : writtenAt;
  const later = (a: StoredName, b: StoredName): number => timeOf(b) - timeOf(a) || (a.name < b.name ? 1 : -1);
  return listed.toSorted(later).map(({ name }) => name);
}

/** Reads a manifest; undefined for one that is wrong. */
async function readOrSkip(
  store: ArchiveStore,
  name: string,
  signal: AbortSignal,
): Promise<ArchiveManifest | undefined> {
  try {
    return await readArchived(store, name, {}, signal);
  } catch (error) {
    if (error instanceof CheckpointError && error.code !== "failed") return undefined;
    throw error;
  }
}
