/**
 * Fetches a checkpoint from a store. Files go into a draft, each compared with its SHA-256; the caller verifies the draft
 * before it gets its name. An interrupted pull keeps the draft and goes on with it.
 */
import { createHash, type Hash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import { freeBelow } from "../observe/disk-space.ts";
import { FILES_AT_ONCE, inParallel, readAhead } from "../runtime/parallel.ts";
import { syncDirectory, writePieces, writeSynced } from "../runtime/synced-file.ts";
import { StoreError, type StoreErrorCode } from "../store/error.ts";
import { openLevelStore } from "../store/level-store.ts";
import {
  type ArchiveFile,
  type ArchiveManifest,
  type ArchiveStore,
  FILES,
  MANIFESTS,
  MAX_MANIFEST_BYTES,
  parseArchiveManifest,
} from "./archive.ts";
import { CheckpointError, isDiskFailure } from "./error.ts";
import { MANIFEST_FILE, type PieceBuffers, requireSize, sha256Of } from "./manifest.ts";
import { eachFile, type FileWork } from "./push.ts";

/** Chain that a checkpoint must be of. Hashes and addresses are `0x` texts; absent members accept any. */
export interface WantedChain {
  readonly genesisHash?: string | undefined;
  readonly chainId?: string | undefined;
  /** Address of the node whose checkpoints are trusted. */
  readonly creator?: string | undefined;
}

/** End of an error after which a draft is kept. */
export const GOES_ON = "the verified files are kept, and the next run goes on with them";

/** A checkpoint in a store. */
export interface ArchivedCheckpoint {
  readonly name: string;
  readonly manifest: ArchiveManifest;
}

/** Returns the names of the manifests of a store, the newest head first. */
export async function archivedNames(store: ArchiveStore, signal: AbortSignal): Promise<readonly string[]> {
  const names = (await store.list(MANIFESTS, signal)).map(({ name }) => name);
  return names.filter((name) => name.endsWith(".json")).toSorted((a, b) => (a < b ? 1 : -1));
}

/** Reads a manifest. Throws `CheckpointError` `bad-manifest` or `foreign`. */
export async function readArchived(
  store: ArchiveStore,
  name: string,
  wanted: WantedChain,
  signal: AbortSignal,
): Promise<ArchiveManifest> {
  const text = Buffer.from(await store.read(name, MAX_MANIFEST_BYTES, signal)).toString("utf8");
  const manifest = parseArchiveManifest(text, name);
  checkWanted(manifest, wanted);
  return manifest;
}

/** Refuses the checkpoint of another chain or creator. Throws `CheckpointError` `foreign`. */
export function checkWanted(manifest: ArchiveManifest, wanted: WantedChain): void {
  const facts: readonly (readonly [name: string, want: string | undefined, found: string])[] = [
    ["genesis", wanted.genesisHash, manifest.genesisHash],
    ["chain id", wanted.chainId, manifest.chainId],
    ["creator", wanted.creator?.toLowerCase(), manifest.creator],
  ];
  for (const [name, want, found] of facts) {
    if (want !== undefined && want !== found)
      throw new CheckpointError("foreign", `the checkpoint has the ${name} ${found}, not ${want}`);
  }
}

/**
 * Fetches all files of a checkpoint into a draft, and first deletes what an earlier attempt left of another one. Throws
 * `CheckpointError` `bad-file` for the first that is wrong.
 */
export async function fetchFiles(
  store: ArchiveStore,
  manifest: ArchiveManifest,
  draft: string,
  options: FileWork,
): Promise<void> {
  await removeUnlisted(draft, manifest);
  try {
    await eachFile(manifest.files, options, async (file) => {
      if (await hasFile(draft, file)) return;
      const bytes = await store.read(FILES + file.sha256, file.size, options.signal);
      await placeFile(draft, file, bytes);
    });
    await finishDraft(draft, manifest);
  } catch (error) {
    throw await withShortage(error, draft, manifest, GOES_ON);
  }
}

/** Returns the error of a transfer; that of a full disk says how many bytes are missing, and the `advice`. */
export async function withShortage(
  cause: unknown,
  draft: string,
  manifest: ArchiveManifest,
  advice: string,
): Promise<unknown> {
  if (!isDiskFailure(cause)) return cause;
  const [missing, free] = await Promise.all([missingBytes(draft, manifest), freeBelow(draft)]);
  const bytes = `${missing} bytes of the checkpoint are missing, ${free} bytes of disk are free`;
  return new CheckpointError("disk", `${messageOf(cause)}: ${bytes}; ${advice}`, { cause });
}

/** Compares the bytes of a file with its manifest and writes them into a draft: whole, or not at all. */
export async function placeFile(draft: string, file: ArchiveFile, bytes: Uint8Array): Promise<void> {
  requireSize(file, bytes.length);
  requireHash(file, await sha256Of(bytes));
  await inPlace(draft, file, (path) => writeSynced(path, bytes));
}

/**
 * Writes a file into a draft as its bytes come, which are joined in the buffers, and compares them with the manifest: whole,
 * or not at all. It is not synced.
 */
export async function placePieces(
  draft: string,
  file: ArchiveFile,
  pieces: AsyncIterable<Uint8Array>,
  buffers: PieceBuffers,
): Promise<void> {
  await inPlace(draft, file, async (path) => {
    const hash = createHash("sha256");
    await writePieces(path, readAhead(hashPieces(joinPieces(pieces, buffers), hash)));
    requireHash(file, hash.digest("hex"));
  });
}

function requireHash({ path, sha256 }: ArchiveFile, found: string): void {
  if (found !== sha256)
    throw new CheckpointError("bad-file", `${path} has the SHA-256 ${found}, the manifest says ${sha256}`);
}

/** Writes a file where it belongs, without one that was there; a failure leaves none. */
async function inPlace(
  draft: string,
  { path }: ArchiveFile,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const target = join(draft, path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await rm(target, { force: true });
  try {
    await write(target);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

async function* hashPieces(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** Joins pieces in two buffers in turn: each write of a small one would cost as much. */
async function* joinPieces(
  pieces: AsyncIterable<Uint8Array>,
  [first, second]: PieceBuffers,
): AsyncGenerator<Uint8Array> {
  let [buffer, other, held] = [first, second, 0];
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + buffer.length - held);
      buffer.set(part, held);
      [at, held] = [at + part.length, held + part.length];
      if (held < buffer.length) continue;
      yield buffer;
      [buffer, other, held] = [other, buffer, 0];
    }
  }
  yield buffer.subarray(0, held);
}

/** Returns the bytes of the files that a draft lacks. */
async function missingBytes(draft: string, { files }: ArchiveManifest): Promise<number> {
  const sizeOf = async ({ path }: ArchiveFile): Promise<number> => (await stat(join(draft, path))).size;
  const sizes = await inParallel(files, FILES_AT_ONCE, (file) => sizeOf(file).catch(() => 0));
  return files.reduce((sum, { size }, i) => sum + (sizes[i] === size ? 0 : size), 0);
}

/** Deletes the files of a draft that are not in a manifest: the disk may be full of them. */
export async function removeUnlisted(draft: string, { files }: ArchiveManifest): Promise<void> {
  const listed = new Set(files.map(({ path }) => join(draft, path)));
  for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isOther = !entry.isDirectory() && entry.parentPath !== join(draft, LOCK);
    if (isOther && !listed.has(path)) await rm(path);
  }
}

/** Directory in a draft that the process which fills it has open: the engine's lock ends with the process. */
const LOCK = "lock";

/**
 * Keeps other processes from filling a draft until it is disposed. Throws `CheckpointError` `exists` while another one does,
 * or `StoreError`. A disk without room for it has none for a checkpoint either, whose first file tells what is missing.
 */
export async function lockDraft(draft: string): Promise<AsyncDisposable> {
  const lock = await openLock(join(draft, LOCK)).catch((cause: unknown) => {
    if (isStoreError(cause, "in-use"))
      throw new CheckpointError("exists", `${draft} is being filled by another process`);
    if (!isDiskFailure(cause)) throw cause;
    return undefined;
  });
  return {
    async [Symbol.asyncDispose]() {
      await removeLock(draft);
      await lock?.[Symbol.asyncDispose]();
    },
  };
}

/** Deletes the lock of a draft, which may have got another name. */
export function removeLock(draft: string): Promise<void> {
  return rm(join(draft, LOCK), { recursive: true, force: true });
}

async function openLock(path: string): Promise<AsyncDisposable> {
  try {
    return await openLevelStore(path);
  } catch (error) {
    if (!isStoreError(error, "corrupt")) throw error;
    await rm(path, { recursive: true }); // of a power cut: it holds nothing
    return openLevelStore(path);
  }
}

function isStoreError(error: unknown, code: StoreErrorCode): boolean {
  return error instanceof StoreError && error.code === code;
}

/** Writes the manifest of a checkpoint whose files are all there. */
export async function finishDraft(draft: string, manifest: ArchiveManifest): Promise<void> {
  const path = join(draft, MANIFEST_FILE);
  await rm(path, { force: true });
  await writeSynced(path, Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`));
  for (const directory of new Set(manifest.files.map((each) => dirname(join(draft, each.path)))))
    await syncDirectory(directory);
  await syncDirectory(draft);
}

/** True for a file of an earlier attempt that is whole. */
async function hasFile(draft: string, { path, size, sha256 }: ArchiveFile): Promise<boolean> {
  const bytes = await readFile(join(draft, path)).catch(() => undefined);
  return bytes?.length === size && (await sha256Of(bytes)) === sha256;
}
