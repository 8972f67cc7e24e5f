/**
 * Snappy block format, which compresses every message after hello (EIP-706). Decompression is our own: the
 * library neither terminates nor checks lengths on hostile input.
 */
import { compress } from "snappyjs";
import { BytesError } from "../bytes/error.ts";
import { snappyLength, unpackSnappyBlock } from "../bytes/snappy.ts";
import { P2pError } from "./error.ts";

/** Compresses a message. */
export function packSnappy(message: Uint8Array): Uint8Array {
  return compress(message);
}

/** Returns the maximum compressed size of `length` bytes. */
export function maxPackedBytes(length: number): number {
  return 32 + length + Math.floor(length / 6);
}

/**
 * Decompresses a message of at most `limit` bytes. Throws `P2pError` `too-large` before it decompresses, or
 * `bad-message`.
 */
export function unpackSnappy(packed: Uint8Array, limit: number): Uint8Array {
  try {
    const length = snappyLength(packed);
    if (length > limit) {
      const text = `message of ${length} bytes, at most ${limit}`;
      throw new P2pError("too-large", text, { reason: "subprotocol-error" });
    }
    return unpackSnappyBlock(packed);
  } catch (error) {
    if (!(error instanceof BytesError)) throw error;
    throw new P2pError("bad-message", error.message, { cause: error });
  }
}
