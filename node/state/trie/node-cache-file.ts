/**
 * Trie nodes of the slab in a file, so that a node that starts again has them available. The file holds pieces of
 * at most 1 MiB, each behind its length and its SHA-256, and ends with an empty one. Nothing of a piece is
 * believed before its sum was checked, and even then a node counts only where its parent names its hash.
 */
import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "../../runtime/synced-file.ts";
import type { Slab } from "./slab.ts";

const MAGIC = Buffer.from("knit nodes 1\n");
const PIECE_BYTES = 1024 * 1024;
const SUM_BYTES = 32;
const HEAD_BYTES = 4 + SUM_BYTES;

/** The file is not what was saved. The message says what is wrong with it. */
export class SavedNodesError extends Error {
  override readonly name = "SavedNodesError";
}

/**
 * Writes the slab to a file that replaces the one at `path` when it is whole and on disk. Gives way between the
 * pieces. Bytes written. Rejects with the signal's reason, or as the file system does.
 */
export async function saveNodes(path: string, slab: Slab, signal: AbortSignal): Promise<number> {
  const draft = `${path}.draft`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const bytes = await writePieces(draft, slab, signal);
    await rename(draft, path);
    await syncDirectory(dirname(path));
    return bytes;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writePieces(path: string, slab: Slab, signal: AbortSignal): Promise<number> {
  await using file = await open(path, "w", 0o600);
  const buffer = Buffer.alloc(HEAD_BYTES + PIECE_BYTES);
  let written = await appendAll(file, MAGIC);
  for (let slot = 0; slot < slab.slots; ) {
    signal.throwIfAborted();
    const { next, length } = slab.copy(slot, buffer.subarray(HEAD_BYTES));
    slot = next;
    if (length > 0) written += await appendAll(file, sealPiece(buffer, length));
  }
  written += await appendAll(file, sealPiece(buffer, 0));
  await file.sync();
  return written;
}

/** A piece with its head before it. */
function sealPiece(buffer: Buffer, length: number): Buffer {
  const piece = buffer.subarray(0, HEAD_BYTES + length);
  piece.writeUInt32LE(length);
  sumOf(piece.subarray(HEAD_BYTES)).copy(piece, 4);
  return piece;
}

async function appendAll(file: FileHandle, bytes: Uint8Array): Promise<number> {
  await file.writeFile(bytes); // from where the last one ended
  return bytes.length;
}

/**
 * Fills the slab from a file. Nodes in it; `undefined` when there is none. Gives way between the pieces. Rejects
 * with `SavedNodesError` when the file is damaged, which leaves the slab empty, with the signal's reason, or as
 * the file system does.
 */
export async function loadNodes(path: string, slab: Slab, signal: AbortSignal): Promise<number | undefined> {
  try {
    await using file = await open(path);
    return await readPieces(file, slab, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (error instanceof SavedNodesError) slab.clear();
    throw error;
  }
}

async function readPieces(file: FileHandle, slab: Slab, signal: AbortSignal): Promise<number> {
  const buffer = Buffer.alloc(PIECE_BYTES);
  if (!(await take(file, buffer.subarray(0, MAGIC.length), "the head")).equals(MAGIC)) {
    throw new SavedNodesError("it holds no saved nodes of this version");
  }
  for (let nodes = 0, piece = 0; ; piece++) {
    signal.throwIfAborted();
    const head = Buffer.from(await take(file, buffer.subarray(0, HEAD_BYTES), `the head of piece ${piece}`));
    const length = head.readUInt32LE();
    if (length > PIECE_BYTES) throw new SavedNodesError(`piece ${piece} claims ${length} bytes`);
    const entries = await take(file, buffer.subarray(0, length), `piece ${piece}`);
    if (!sumOf(entries).equals(head.subarray(4))) {
      throw new SavedNodesError(`piece ${piece} fails its checksum`);
    }
    if (length === 0) return nodes;
    nodes += slab.restore(entries);
  }
}

/** Fills `into`. */
async function take(file: FileHandle, into: Buffer, what: string): Promise<Buffer> {
  for (let have = 0; have < into.length; ) {
    const { bytesRead } = await file.read(into, have, into.length - have);
    if (bytesRead === 0) throw new SavedNodesError(`it ends within ${what}`);
    have += bytesRead;
  }
  return into;
}

function sumOf(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
