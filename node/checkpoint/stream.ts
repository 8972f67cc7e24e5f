/** Checkpoints as tar streams: the signed manifest first, then its files in order. */
import type { Address } from "../bytes/brands.ts";
import {
  type ArchiveFile,
  type ArchiveManifest,
  MAX_MANIFEST_BYTES,
  parseArchiveManifest,
  signManifest,
} from "./archive.ts";
import { CheckpointError } from "./error.ts";
import { MANIFEST_FILE, readCheckpointManifest, totalBytes } from "./manifest.ts";
import { checkWanted, finishDraft, placeFile, type WantedChain } from "./pull.ts";
import { type FileWork, readListed } from "./push.ts";
import { TAR_END, tarEntry, tarFiles } from "./tar.ts";

/** A checkpoint to write, and the node key that signs its manifest. */
export interface StreamOptions {
  readonly directory: string;
  readonly key: Uint8Array;
  readonly address: Address;
  /** Waits after so many bytes were read for their SHA-256, or sent. */
  readonly pace?: (bytes: number, work: "read" | "send") => Promise<void>;
}

/** Writes a checkpoint piece by piece. Files are read twice: first for their SHA-256. */
export async function* checkpointStream({
  directory,
  key,
  address,
  pace = () => Promise.resolve(),
}: StreamOptions): AsyncGenerator<Uint8Array> {
  const manifest = await readCheckpointManifest(directory);
  const files: ArchiveFile[] = [];
  for (const file of manifest.files) {
    const { sha256 } = await readListed(directory, file);
    files.push({ path: file.path, size: file.size, sha256 });
    await pace(file.size, "read");
  }
  const text = signManifest({ ...manifest, files }, key, address);
  yield tarEntry({ name: MANIFEST_FILE, bytes: Buffer.from(text) });
  for (const file of files) {
    yield tarEntry({ name: file.path, bytes: (await readListed(directory, file)).bytes });
    await pace(file.size, "send");
  }
  yield TAR_END;
}

/** Reads a checkpoint into an empty draft. Throws `CheckpointError` with the first thing that is wrong. */
export async function readStream(
  stream: AsyncIterable<Uint8Array>,
  draft: string,
  wanted: WantedChain,
  { signal, onBytes }: FileWork,
): Promise<ArchiveManifest> {
  const entries = tarFiles(stream, MAX_MANIFEST_BYTES);
  const first = (await entries.next()).value;
  if (first?.name !== MANIFEST_FILE)
    throw new CheckpointError("bad-manifest", `the stream does not begin with ${MANIFEST_FILE}`);
  const manifest = parseArchiveManifest(Buffer.from(first.bytes).toString("utf8"), MANIFEST_FILE);
  checkWanted(manifest, wanted);
  const total = totalBytes(manifest.files);
  let done = 0;
  for (const file of manifest.files) {
    signal.throwIfAborted();
    const entry = (await entries.next()).value;
    if (entry?.name !== file.path)
      throw new CheckpointError(
        "bad-file",
        `${file.path} is missing: the stream has ${entry?.name ?? "no more files"}`,
      );
    await placeFile(draft, file, entry.bytes);
    done += file.size;
    onBytes(done, total);
  }
  const more = await entries.next();
  if (more.done !== true) throw new CheckpointError("bad-file", `${more.value.name} is not in the manifest`);
  await finishDraft(draft, manifest);
  return manifest;
}
