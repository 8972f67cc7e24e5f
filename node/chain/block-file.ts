/**
 * Reads chain files: blocks as RLP one after another, ascending, nothing between them; gzip when the name ends
 * in `.gz` (the Go node's export form). Reading is bounded: one block is held at a time, however much a packed
 * file unpacks to. Damage is reported by block and byte of the unpacked stream.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { messageOf } from "../bytes/message-of.ts";
import { ChainError } from "./error.ts";
import { createFramer, type Framed, type Framer } from "./framer.ts";
import { type Unpacked, unpack } from "./unpack.ts";

/** One block as it stands in a file. */
export interface FileBlock extends Framed {
  /** Position in the file, from 0. */
  readonly index: number;
  /** Bytes of the file on disk read so far. */
  readonly bytesRead: number;
}

const READ_BYTES = 256 * 1024;

/** Size of a chain file on disk. Throws `ChainError` `bad-file` for what is not a file that can be read. */
export async function chainFileSize(path: string): Promise<number> {
  await using file = await openFile(path);
  return (await file.stat()).size;
}

/** The blocks of a chain file. Throws `ChainError` `bad-file` where the file is damaged or ends early. */
export async function* readBlockFile(path: string): AsyncGenerator<FileBlock> {
  await using file = await openFile(path);
  yield* frameBlocks(path.endsWith(".gz") ? unpack(file) : plain(file));
}

/** Cuts a stream into blocks. Throws `ChainError` `bad-file`. */
export async function* frameBlocks(
  source: AsyncIterable<Unpacked> | Iterable<Unpacked>,
): AsyncGenerator<FileBlock> {
  const framer = createFramer();
  let index = 0;
  try {
    for await (const { bytes, used } of source) {
      framer.push(bytes);
      for (let next = framer.next(); next !== undefined; next = framer.next()) {
        yield { ...next, index, bytesRead: used };
        index++;
      }
    }
    checkEnd(framer);
  } catch (cause) {
    const why = cause instanceof ChainError ? cause.message : `cannot read on: ${messageOf(cause)}`;
    throw new ChainError("bad-file", `block ${index}: failed to parse: ${why}`, { cause });
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // a pipe without a writer would block: only files are opened
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (cause) {
    throw new ChainError("bad-file", `cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
  throw new ChainError("bad-file", `cannot read ${path}: it is not a file`);
}

async function* plain(file: FileHandle): AsyncGenerator<Unpacked> {
  for (let used = 0; ; ) {
    const bytes = Buffer.allocUnsafe(READ_BYTES);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, used);
    if (bytesRead === 0) return;
    used += bytesRead;
    yield { bytes: bytes.subarray(0, bytesRead), used };
  }
}

function checkEnd(framer: Framer): void {
  const { offset, bytes, needed } = framer.rest();
  if (bytes === 0) return;
  const block = `the block at byte ${offset} takes ${needed} bytes or more`;
  throw new ChainError("bad-file", `the file ends at byte ${offset + bytes}, but ${block}`);
}
