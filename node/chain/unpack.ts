/**
 * Unpacks a gzip file piece by piece. The library gives nothing of a piece in which it meets damage; then the
 * pieces before it are read again, and this one in crumbs, so that all that can be read is given before the error.
 */
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip, type Gunzip } from "node:zlib";
import { ChainError } from "./error.ts";

const PIECE_BYTES = 256 * 1024;
const CRUMB_BYTES = 16;

/** A piece of the unpacked stream. */
export interface Unpacked {
  readonly bytes: Uint8Array;
  /** Bytes of the packed file that were used so far. */
  readonly used: number;
}

/** The unpacked stream. Throws `ChainError` `bad-file` where the packed one is damaged or ends early. */
export async function* unpack(file: FileHandle): AsyncGenerator<Unpacked> {
  let given = 0;
  let used = 0;
  try {
    for await (const piece of unpackWith(file, Number.POSITIVE_INFINITY)) {
      given += piece.bytes.length;
      used = piece.used;
      yield piece;
    }
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    yield* unpackCrumbs(file, { given, used });
  }
}

/** Everything behind the first `given` bytes, in crumbs where the damage is. */
async function* unpackCrumbs(
  file: FileHandle,
  { given, used }: { readonly given: number; readonly used: number },
): AsyncGenerator<Unpacked> {
  const crumbsFrom = used - (used % PIECE_BYTES);
  let unpacked = 0;
  let reached = 0;
  try {
    for await (const piece of unpackWith(file, crumbsFrom)) {
      const known = Math.min(piece.bytes.length, Math.max(0, given - unpacked));
      unpacked += piece.bytes.length;
      reached = piece.used;
      if (known < piece.bytes.length) yield { ...piece, bytes: piece.bytes.subarray(known) };
    }
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    const where = `byte ${unpacked} unpacked, byte ${reached} packed`;
    throw new ChainError("bad-file", `the gzip stream is damaged at ${where}: ${cause.message}`, { cause });
  }
}

async function* unpackWith(file: FileHandle, crumbsFrom: number): AsyncGenerator<Unpacked> {
  const { size } = await file.stat();
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  const ended = pipeline(pieces(file, crumbsFrom), gunzip);
  ended.catch(() => undefined); // the reader of `gunzip` meets it
  try {
    for await (const bytes of gunzip) yield { bytes: bytes as Buffer, used: gunzip.bytesWritten };
    checkAllUsed(gunzip, size);
  } finally {
    gunzip.destroy();
    await ended.catch(() => undefined);
  }
}

/** The library passes over what begins with a zero byte behind the stream. */
function checkAllUsed({ bytesWritten }: Gunzip, size: number): void {
  if (bytesWritten === size && size > 0) return;
  const what = size === 0 ? "unexpected end of file" : `${size - bytesWritten} bytes follow it`;
  throw Object.assign(new Error(what), { code: "Z_END" });
}

async function* pieces(file: FileHandle, crumbsFrom: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const bytes = Buffer.allocUnsafe(at < crumbsFrom ? PIECE_BYTES : CRUMB_BYTES);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
    if (bytesRead === 0) return;
    yield bytes.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** True for what the packed bytes are to blame for. */
function isDamage(cause: unknown): cause is { readonly message: string } {
  return String((cause as { code?: unknown }).code).startsWith("Z_");
}
