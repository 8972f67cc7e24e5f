/**
 * Snappy's raw block form, which packs every message after hello. Unpacking is our own: it meets hostile bytes, on
 * which the library's neither ends nor checks its lengths.
 */
import { compress } from "snappyjs";
import { BytesError } from "../bytes/error.ts";
import { snappyLength, unpackSnappyBlock } from "../bytes/snappy.ts";
import { P2pError } from "./error.ts";

/** Packs a message. */
export function packSnappy(message: Uint8Array): Uint8Array {
  return compress(message);
}

/** The most bytes that packing makes of `length`. */
export function mostPacked(length: number): number {
  return 32 + length + Math.floor(length / 6);
}

/** Unpacks a message of at most `limit` bytes. Throws `P2pError` `too-large` before unpacking, or `bad-message`. */
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
