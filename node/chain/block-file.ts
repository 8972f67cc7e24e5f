/**
 * Chain files: blocks as RLP one after another, ascending, nothing between them; gzip when the name ends in
 * `.gz` (the Go node's export form). Reading is bounded: one block is held at a time.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { ChainError } from "./error.ts";

/** One block as it stands in a file. */
export interface FileBlock {
  /** Position in the file, from 0. */
  readonly index: number;
  readonly raw: Uint8Array;
  /** Bytes of the file on disk read so far. */
  readonly bytesRead: number;
}

/** No block of a chain is larger; a length above it is damage. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;
const READ_BYTES = 256 * 1024;

/** Size of a chain file on disk. Throws `ChainError` `bad-file`. */
export async function chainFileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (cause) {
    throw new ChainError("bad-file", `cannot read ${path}: ${reason(cause)}`, { cause });
  }
}

/** The blocks of a chain file. Throws `ChainError` `bad-file` where the file is damaged or ends early. */
export async function* readBlockFile(path: string): AsyncGenerator<FileBlock> {
  const file = createReadStream(path, { highWaterMark: READ_BYTES });
  const source: Readable = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  file.on("error", (error) => source.destroy(error));
  const framer = createFramer();
  let index = 0;
  try {
    for await (const chunk of source) {
      framer.push(chunk as Buffer); // a byte stream without encoding yields buffers
      for (let raw = framer.next(); raw !== undefined; raw = framer.next()) {
        yield { index, raw, bytesRead: file.bytesRead };
        index++;
      }
    }
  } catch (cause) {
    throw new ChainError("bad-file", `block ${index}: cannot read on: ${reason(cause)}`, { cause });
  } finally {
    file.destroy();
  }
  if (framer.waiting() > 0) {
    throw new ChainError("bad-file", `block ${index}: the file ends inside the block`);
  }
}

/** Writes raw blocks to a new file. Throws `ChainError` `bad-file` when it exists or cannot be written. */
export async function writeBlockFile(
  path: string,
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = createWriteStream(path, { flags: "wx" });
  const steps: (Readable | Transform)[] = [Readable.from(blocks, { objectMode: true })];
  if (path.endsWith(".gz")) steps.push(createGzip());
  try {
    await pipeline([...steps, file]);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") {
      throw new ChainError("bad-file", "location would overwrite an existing file", { cause });
    }
    throw new ChainError("bad-file", `cannot write ${path}: ${reason(cause)}`, { cause });
  }
}

/** Cuts a byte stream into RLP lists by their headers alone. */
interface Framer {
  push(chunk: Uint8Array): void;
  /** The next whole item, a copy; undefined when more bytes are needed. */
  next(): Uint8Array | undefined;
  /** Bytes that belong to no whole item yet. */
  waiting(): number;
}

/** A framer that refuses what cannot be the beginning of a block. */
export function createFramer(): Framer {
  let held = Buffer.alloc(0);
  let at = 0;
  return {
    push(chunk) {
      held = Buffer.concat([held.subarray(at), chunk]);
      at = 0;
    },
    next() {
      const length = listLength(held, at);
      if (length === undefined || held.length - at < length) return undefined;
      at += length;
      return new Uint8Array(held.subarray(at - length, at)); // a plain array: views of it are cheaper than buffers
    },
    waiting: () => held.length - at,
  };
}

/** Whole length of the list that begins at `at`; undefined while its header is incomplete. */
function listLength(bytes: Uint8Array, at: number): number | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0xc0)
    throw new ChainError("bad-file", `rlp: expected a list, found byte 0x${first.toString(16)}`);
  if (first < 0xf8) return 1 + first - 0xc0;
  const count = first - 0xf7;
  if (bytes.length - at <= count) return undefined;
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + (bytes[at + i] ?? 0);
  if (length > MAX_BLOCK_BYTES)
    throw new ChainError("bad-file", `block of ${length} bytes, at most ${MAX_BLOCK_BYTES}`);
  return 1 + count + length;
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
