/** Checkpoints as tar streams: the signed manifest first, then its files in order. */
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Address } from "../bytes/brands.ts";
import { inParallel } from "../runtime/parallel.ts";
import { syncFile } from "../runtime/synced-file.ts";
import {
  type ArchiveFile,
  type ArchiveManifest,
  MAX_MANIFEST_BYTES,
  PARALLEL,
  parseArchiveManifest,
  signManifest,
} from "./archive.ts";
import { CheckpointError } from "./error.ts";
import { type KeptTables, NO_TABLES } from "./kept-tables.ts";
import {
  createPieceBuffers,
  listedPieces,
  MANIFEST_FILE,
  readCheckpointManifest,
  requireSize,
  totalBytes,
} from "./manifest.ts";
import {
  checkWanted,
  finishDraft,
  GOES_ON,
  placePieces,
  removeUnlisted,
  type WantedChain,
  withShortage,
} from "./pull.ts";
import type { FileWork } from "./push.ts";
import type { TableHashes } from "./table-hashes.ts";
import { TAR_END, TAR_NAME_BYTES, type TarEntry, tarEntries, tarFile, tarHeader, tarPadding } from "./tar.ts";

/** A checkpoint to write, and the node key that signs its manifest. */
export interface StreamOptions {
  readonly directory: string;
  readonly key: Uint8Array;
  readonly address: Address;
  /** Hashes of the tables that were read before, and of those that are read now. */
  readonly hashes: TableHashes;
  /** Tables that the receiver has: they are in the manifest, but not sent. */
  readonly kept?: KeptTables;
  /** Waits after so many bytes were read for their SHA-256, or sent. */
  readonly pace?: (bytes: number, work: "read" | "send") => Promise<void>;
  /** Interval of the bytes that are written while files are read for their SHA-256, in milliseconds. */
  readonly beatMs?: number;
}

/** Less than half of the time after which a receiver or a gateway ends a silent stream: ten minutes. */
const BEAT_MS = 240_000;

/**
 * Writes a checkpoint piece by piece; a piece is valid until the next but one is asked for. Files are read twice: first for
 * their SHA-256, unless it is known. Meanwhile the bytes of the first entry that are known already are written one by one,
 * so that a large checkpoint is not taken for a stalled one. A receiver compares what it gets with the manifest, so a table
 * that the disk has changed is refused there.
 */
export async function* checkpointStream({
  directory,
  key,
  address,
  hashes,
  kept = NO_TABLES,
  pace = () => Promise.resolve(),
  beatMs = BEAT_MS,
}: StreamOptions): AsyncGenerator<Uint8Array> {
  const manifest = await readCheckpointManifest(directory);
  hashes.retain(manifest.files);
  const files: ArchiveFile[] = [];
  const buffers = createPieceBuffers();
  const known = tarHeader(MANIFEST_FILE, 0).subarray(0, TAR_NAME_BYTES);
  let written = 0;
  let beatAt = performance.now() + beatMs;
  for (const file of manifest.files) {
    const { path, size } = file;
    const remembered = await hashes.find(directory, file);
    files.push({ path, size, sha256: remembered ?? (await hashes.hash(directory, file, buffers)) });
    if (remembered === undefined) await pace(size, "read");
    if (performance.now() < beatAt || written === known.length) continue;
    yield known.subarray(written, ++written);
    beatAt = performance.now() + beatMs;
  }
  const signed = signManifest({ ...manifest, files }, key, address);
  yield tarFile({ name: MANIFEST_FILE, bytes: Buffer.from(signed) }).subarray(written);
  for (const file of files) {
    if (kept.has(file)) continue;
    yield tarHeader(file.path, file.size);
    yield* listedPieces(directory, file, buffers);
    yield tarPadding(file.size);
    await pace(file.size, "send");
  }
  yield TAR_END;
}

/** Work on the files of a stream. */
export interface StreamWork extends FileWork {
  /** Tables that the draft has and the stream may lack. */
  readonly kept?: KeptTables;
}

/**
 * Reads a checkpoint into a draft, which is empty or has tables of an earlier stream; those that this checkpoint does not
 * have are deleted. Throws `CheckpointError` with the first thing that is wrong.
 */
export async function readStream(
  stream: AsyncIterable<Uint8Array>,
  draft: string,
  wanted: WantedChain,
  work: StreamWork,
): Promise<ArchiveManifest> {
  const entries = tarEntries(stream, MAX_MANIFEST_BYTES);
  const first: TarEntry | undefined = (await entries.next()).value;
  if (first?.name !== MANIFEST_FILE)
    throw new CheckpointError("bad-manifest", `the stream does not begin with ${MANIFEST_FILE}`);
  const manifest = parseArchiveManifest(await text(first.pieces), MANIFEST_FILE);
  checkWanted(manifest, wanted);
  await removeUnlisted(draft, manifest);
  try {
    await readFiles(entries, draft, manifest, work);
  } catch (error) {
    const advice = work.kept === undefined ? "the copy has to be sent again" : GOES_ON;
    throw await withShortage(error, draft, manifest, advice);
  }
  return manifest;
}

function requireKept(kept: KeptTables, file: ArchiveFile, next = "no more files"): void {
  if (kept.has(file)) return;
  throw new CheckpointError("bad-file", `${file.path} is missing: the stream has ${next}`);
}

async function readFiles(
  entries: AsyncGenerator<TarEntry>,
  draft: string,
  manifest: ArchiveManifest,
  { signal, onBytes, kept = NO_TABLES }: StreamWork,
): Promise<void> {
  const total = totalBytes(manifest.files);
  let done = 0;
  let next = await entries.next();
  const buffers = createPieceBuffers();
  for (const file of manifest.files) {
    signal.throwIfAborted();
    const entry = next.value;
    if (entry?.name === file.path) {
      requireSize(file, entry.size);
      await placePieces(draft, file, entry.pieces, buffers);
      next = await entries.next();
    } else requireKept(kept, file, entry?.name);
    done += file.size;
    onBytes(done, total);
  }
  if (next.done !== true) throw new CheckpointError("bad-file", `${next.value.name} is not in the manifest`);
  // not before: an interrupted copy compares the tables that it has with their hashes
  await inParallel(manifest.files, PARALLEL, ({ path }) => syncFile(join(draft, path)));
  await finishDraft(draft, manifest);
}
