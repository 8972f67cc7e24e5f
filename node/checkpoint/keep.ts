/** Upkeep of an archive: a checkpoint is read back, and old checkpoints are deleted with the files that none needs. */
import { type ArchiveManifest, type ArchiveStore, FILES, MANIFESTS, type StoredName } from "./archive.ts";
import { CheckpointError } from "./error.ts";
import { requireSize, sha256Of } from "./manifest.ts";
import { readArchived } from "./pull.ts";
import { eachFile, type FileWork } from "./push.ts";

/** Reads every file of an archived checkpoint and compares it with its SHA-256. Throws `CheckpointError` `bad-file`. */
export async function readBack(
  store: ArchiveStore,
  manifest: ArchiveManifest,
  options: FileWork,
): Promise<void> {
  await eachFile(manifest.files, options, async (file) => {
    const bytes = await store.read(FILES + file.sha256, file.size, options.signal);
    requireSize(file, bytes.length);
    if ((await sha256Of(bytes)) !== file.sha256)
      throw new CheckpointError("bad-file", `the archive returns other bytes for ${file.path}`);
  });
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
 * needs. While a manifest cannot be read, no file is deleted. An interrupted deletion goes on when it is run again.
 */
export async function keepNewest(store: ArchiveStore, options: KeepOptions): Promise<Deleted> {
  const { genesisHash, keep, pushed, before, signal } = options;
  const kept: ArchiveManifest[] = [];
  const deleted = { checkpoints: 0, files: 0 };
  let areAllRead = true;
  for (const name of await newestNames(store, pushed, signal)) {
    const manifest = await readOrSkip(store, name, signal);
    const isOwn = manifest?.genesisHash === genesisHash;
    if (isOwn && kept.filter((each) => each.genesisHash === genesisHash).length >= keep) {
      await store.remove(name, signal);
      deleted.checkpoints++;
    } else if (manifest === undefined) areAllRead = false;
    else kept.push(manifest);
  }
  const needed = new Set(kept.flatMap(({ files }) => files.map(({ sha256 }) => FILES + sha256)));
  for (const { name, writtenAt } of areAllRead ? await store.list(FILES, signal) : []) {
    if (needed.has(name) || writtenAt >= before) continue;
    await store.remove(name, signal);
    deleted.files++;
  }
  for (const prefix of [FILES, MANIFESTS]) await store.removeUnfinished(prefix, before, signal);
  return deleted;
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
