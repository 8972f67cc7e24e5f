/**
 * Headers of RLP items (Ethereum yellow paper, appendix B), read and written at one place for the decoder, the cursor,
 * the encoder and the writer. Reading is strict: a length is in its shortest form, and a payload ends within the input.
 */
import { BytesError } from "./error.ts";

/** First byte of the header of a byte string, without its length. */
export const RLP_STRING = 0x80;
/** First byte of the header of a list, without its length. */
export const RLP_LIST = 0xc0;

/** Longest payload whose length is in the first byte of the header. */
export const MAX_SHORT_RLP = 55;

/** Payload of the item that `readRlpHeader` read last: results without an object for each item. */
export const rlpPayload = { start: 0, end: 0 };

/** Reads the header at `at` of an item that ends at or before `end` into `rlpPayload`. Throws `BytesError` `bad-rlp`. */
export function readRlpHeader(bytes: Uint8Array, at: number, end: number): void {
  if (at >= end) throw rlpError("an item is missing", at);
  const first = bytes[at] as number; // in range: checked above
  if (first < RLP_STRING) {
    rlpPayload.start = at;
    rlpPayload.end = at + 1;
    return;
  }
  const short = first - (first < RLP_LIST ? RLP_STRING : RLP_LIST);
  const count = short > MAX_SHORT_RLP ? short - MAX_SHORT_RLP : 0;
  const start = at + 1 + count;
  const stop = start + (count > 0 ? longLength(bytes, at, count, end) : short);
  if (stop > end || (first === RLP_STRING + 1 && (bytes[start] as number) < RLP_STRING)) {
    throw payloadError(at, stop - start, end - start);
  }
  rlpPayload.start = start;
  rlpPayload.end = stop;
}

function payloadError(at: number, length: number, available: number): BytesError {
  return length > available
    ? rlpError(`length ${length} passes the end of the input`, at)
    : rlpError("a single byte below 0x80 with a length prefix", at);
}

function longLength(bytes: Uint8Array, at: number, count: number, end: number): number {
  if (at + 1 + count > end) throw rlpError("unexpected end of input", at);
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + (bytes[at + i] as number); // in range: checked above
  if (bytes[at + 1] === 0 || length <= MAX_SHORT_RLP) throw rlpError("length in more bytes than needed", at);
  return length;
}

/** Bytes of the header of a string or list with a payload of `length` bytes. */
export function rlpHeaderLength(length: number): number {
  return length <= MAX_SHORT_RLP ? 1 : 1 + lengthBytes(length);
}

function lengthBytes(length: number): number {
  return length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4;
}

/** Writes a header: `base` is `RLP_STRING` or `RLP_LIST`. Returns the place of the payload. */
export function writeRlpHeader(out: Uint8Array, at: number, base: number, length: number): number {
  if (length <= MAX_SHORT_RLP) {
    out[at] = base + length;
    return at + 1;
  }
  const count = lengthBytes(length);
  out[at] = base + MAX_SHORT_RLP + count;
  for (let i = count; i > 0; i--) out[at + i] = (length >>> (8 * (count - i))) & 0xff;
  return at + 1 + count;
}

/** Returns true for a byte string that is its own encoding. */
export function isOneByteItem(bytes: Uint8Array): boolean {
  return bytes.length === 1 && (bytes[0] as number) < RLP_STRING;
}

/** The error of this codec, with the position when there is one. */
export function rlpError(what: string, at?: number): BytesError {
  return new BytesError("bad-rlp", at === undefined ? `rlp: ${what}` : `rlp: ${what} (byte ${at})`, at);
}
