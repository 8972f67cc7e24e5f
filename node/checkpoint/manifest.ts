/** The manifest of a checkpoint: chain, head and files, as JSON in `checkpoint.json`. */
import { subtle } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bareHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { CheckpointError } from "./error.ts";

/** Layout of manifests and of the directories that they describe. */
export const CHECKPOINT_FORMAT = 2;
/** In the layout before, `chain` held the rows of blocks, too. */
const FORMATS: readonly unknown[] = [1, CHECKPOINT_FORMAT];
/** Name of the manifest in a checkpoint. */
export const MANIFEST_FILE = "checkpoint.json";
/** Files are read into memory. No file of a database is as large. */
const MAX_FILE_BYTES: number = 512 * 1024 * 1024;
/** Directory of the databases in a checkpoint, as in a data directory. */
export const DATABASES = "knit/chaindata";

/** The newest block of a checkpoint. Hashes are `0x` texts. */
export interface CheckpointHead {
  readonly number: number;
  readonly hash: string;
  readonly stateRoot: string;
}

/** A file: its path with slashes below the checkpoint, and its size in bytes. */
export interface CheckpointFile {
  readonly path: string;
  readonly size: number;
}

/** Contents of a checkpoint. */
export interface CheckpointManifest<File extends CheckpointFile = CheckpointFile> {
  readonly format: number;
  /** Program and version that created it. */
  readonly program: string;
  /** Decimal text: chain ids may be larger than 2^53. */
  readonly chainId: string;
  /** `0x` text of the hash of block 0. */
  readonly genesisHash: string;
  readonly head: CheckpointHead;
  readonly files: readonly File[];
}

/** Returns the bytes of all files. */
export function totalBytes(files: readonly CheckpointFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Throws `CheckpointError` `bad-file` for a file that has another size than its manifest says. */
export function requireSize({ path, size }: CheckpointFile, found: number): void {
  if (found !== size)
    throw new CheckpointError("bad-file", `${path} has ${found} bytes, the manifest says ${size}`);
}

/** Reads a file of a checkpoint. Throws `CheckpointError` `bad-file` when it is missing or of another size. */
export async function readListed(directory: string, file: CheckpointFile): Promise<Uint8Array> {
  const bytes = await readFile(join(directory, file.path)).catch(unreadable(file));
  requireSize(file, bytes.length);
  return bytes;
}

/** Two buffers, for the pieces of files in turn. */
export type PieceBuffers = readonly [Uint8Array, Uint8Array];

/** Hashing so much holds the main thread for about a millisecond. */
const PIECE_BYTES = 512 * 1024;

/** Creates buffers of half a mebibyte each. */
export function createPieceBuffers(): PieceBuffers {
  return [new Uint8Array(PIECE_BYTES), new Uint8Array(PIECE_BYTES)];
}

/**
 * Reads a file of a checkpoint piece by piece; a piece is valid until the next but one is asked for. Throws as `readListed`
 * does, for another size after the pieces: none has bytes beyond the listed size.
 */
export async function* listedPieces(
  directory: string,
  file: CheckpointFile,
  buffers: PieceBuffers,
): AsyncGenerator<Uint8Array> {
  await using handle = await open(join(directory, file.path)).catch(unreadable(file));
  requireSize(file, (await handle.stat()).size);
  for (let [done, turn] = [0, 0]; done < file.size; turn ^= 1) {
    const buffer = buffers[turn as 0 | 1];
    const wanted = Math.min(buffer.length, file.size - done);
    const { bytesRead } = await handle.read(buffer, 0, wanted).catch(unreadable(file));
    if (bytesRead === 0) requireSize(file, done);
    yield buffer.subarray(0, bytesRead);
    done += bytesRead;
  }
}

function unreadable({ path }: CheckpointFile): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    throw new CheckpointError("bad-file", `cannot read ${path}: ${cause.message}`, { cause });
  };
}

/** Returns the SHA-256 as 64 hex digits. It is computed beside the main thread, which a large file would hold. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  return bareHex(new Uint8Array(await subtle.digest("SHA-256", bytes)));
}

/** Reads the manifest of a checkpoint. Throws `CheckpointError` `bad-manifest`. */
export async function readCheckpointManifest(directory: string): Promise<CheckpointManifest> {
  const path = join(directory, MANIFEST_FILE);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CheckpointError("bad-manifest", `${directory} is no checkpoint: ${messageOf(cause)}`, {
      cause,
    });
  });
  return parseManifest(text, path);
}

/** Parses a manifest; `name` is its name in errors. Throws `CheckpointError` `bad-manifest`. */
export function parseManifest(text: string, name: string): CheckpointManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CheckpointError("bad-manifest", `${name} is not JSON: ${messageOf(cause)}`, { cause });
  }
  const fault = manifestFault(value);
  if (fault !== undefined) throw new CheckpointError("bad-manifest", `${name}: ${fault}`);
  return value as CheckpointManifest; // every member was checked
}

/** Members of a JSON object. */
type Members = Readonly<Record<string, unknown>>;

function manifestFault(value: unknown): string | undefined {
  if (!isObject(value)) return "the manifest is not an object";
  if (!FORMATS.includes(value["format"]))
    return `format ${String(value["format"])} is not known: this release reads ${FORMATS.join(" and ")}`;
  if (typeof value["program"] !== "string") return "program is not a text";
  if (typeof value["chainId"] !== "string" || !/^\d{1,78}$/.test(value["chainId"]))
    return "chainId is not a decimal number";
  if (!isHash(value["genesisHash"])) return "genesisHash is not a hash";
  return headFault(value["head"]) ?? filesFault(value["files"]);
}

function headFault(head: unknown): string | undefined {
  if (!isObject(head) || !isCount(head["number"])) return "head has no number";
  return isHash(head["hash"]) && isHash(head["stateRoot"]) ? undefined : "head has no hash or state root";
}

function filesFault(files: unknown): string | undefined {
  if (!Array.isArray(files)) return "files is not a list";
  const seen = new Set<string>();
  for (const file of files as unknown[]) {
    if (!isObject(file) || !isCount(file["size"])) return "a file has no size";
    const { path, size } = file;
    if (typeof path !== "string" || !FILE_PATH.test(path)) return `${JSON.stringify(path)} is not a path`;
    if (seen.has(path)) return `${path} is listed twice`;
    seen.add(path);
    if (Number(size) > MAX_FILE_BYTES)
      return `${path} has ${String(size)} bytes, at most ${MAX_FILE_BYTES} fit`;
  }
  return undefined;
}

/** Files of the databases alone; nothing leads out of the directory. */
const FILE_PATH =
  /^knit\/chaindata\/(chain|blocks|trie\/\d{1,10})\/(\d{1,18}\.(ldb|log)|MANIFEST-\d{1,18}|CURRENT|damage\.txt)$/;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
