/**
 * Snappy block format, which compresses every message after hello (EIP-706). Decompression is our own: the
 * library neither terminates nor checks lengths on hostile input.
 */
import { compress } from "snappyjs";
import { concatBytes } from "../bytes/compare.ts";
import { BytesError } from "../bytes/error.ts";
import { snappyBlockSteps, snappyLength } from "../bytes/snappy.ts";
import { runAtOnce } from "../runtime/scheduler.ts";
import { P2pError } from "./error.ts";

/** Compresses a message. */
export function packSnappy(message: Uint8Array): Uint8Array {
  return compress(message);
}

/** Bytes of one step, which takes about 2 ms: several of the parts of 64 KiB that are compressed each by itself. */
export const PACK_STEP_BYTES = 256 * 1024;

/** Compresses a message in steps, with the result of `packSnappy`. */
export function* packSnappySteps(message: Uint8Array): Generator<undefined, Uint8Array> {
  if (message.length <= PACK_STEP_BYTES) return packSnappy(message);
  const parts: Uint8Array[] = [lengthHeader(message.length)];
  for (let at = 0; at < message.length; at += PACK_STEP_BYTES) {
    const part = message.subarray(at, at + PACK_STEP_BYTES);
    parts.push(packSnappy(part).subarray(lengthHeader(part.length).length));
    yield;
  }
  return concatBytes(...parts);
}

/** Returns the length of a message as a block begins with it: seven bits a byte, the lowest first. */
function lengthHeader(length: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/** Returns the maximum compressed size of `length` bytes. */
export function maxPackedBytes(length: number): number {
  return 32 + length + Math.floor(length / 6);
}

/** Same as `unpackSnappySteps`, in one. */
export function unpackSnappy(packed: Uint8Array, limit: number): Uint8Array {
  return runAtOnce(unpackSnappySteps(packed, limit));
}

/**
 * Decompresses a message of at most `limit` bytes in steps. Throws `P2pError` `too-large` before it decompresses, or
 * `bad-message`.
 */
export function* unpackSnappySteps(packed: Uint8Array, limit: number): Generator<undefined, Uint8Array> {
  try {
    const length = snappyLength(packed);
    if (length > limit) {
      const text = `message of ${length} bytes, at most ${limit}`;
      throw new P2pError("too-large", text, { reason: "subprotocol-error" });
    }
    return yield* snappyBlockSteps(packed);
  } catch (error) {
    if (!(error instanceof BytesError)) throw error;
    throw new P2pError("bad-message", error.message, { cause: error });
  }
}
