/**
 * Unpacks Snappy's raw block form (format_description.txt of google/snappy). The input is untrusted: no memory
 * is allocated before the length is checked, and no copy reads beyond the bytes unpacked so far.
 */
import { BytesError } from "./error.ts";

/** Maximum ratio of lengths: a copy yields at most 64 bytes from 3. */
const MAX_RATIO = 22;

/** Returns the unpacked length in a block's header. Throws `BytesError` `bad-snappy`. */
export function snappyLength(packed: Uint8Array): number {
  return readLength(packed).value;
}

/** Unpacks a block. Throws `BytesError` `bad-snappy`. */
export function unpackSnappyBlock(packed: Uint8Array): Uint8Array {
  const header = readLength(packed);
  if (header.value > packed.length * MAX_RATIO) throw snappyError("a length that the block cannot fill");
  const out = new Uint8Array(header.value);
  const end = unpack(packed, header.next, out);
  if (end !== out.length) throw snappyError(`${end} bytes where ${out.length} were announced`);
  return out;
}

function readLength(packed: Uint8Array): { value: number; next: number } {
  let value = 0;
  for (let next = 0; next < 5; next++) {
    const byte = packed[next];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * next);
    if (byte < 0x80) return { value, next: next + 1 };
  }
  throw snappyError("no length");
}

function unpack(packed: Uint8Array, start: number, out: Uint8Array): number {
  let to = 0;
  for (let at = start; at < packed.length; ) {
    const tag = packed[at] as number; // in range: tested by the loop
    const extra = extraBytes(tag);
    if (at + extra >= packed.length) throw snappyError("cut off");
    const number = littleEndian(packed, at + 1, extra);
    at += 1 + extra;
    if ((tag & 3) === 0) {
      const length = (extra === 0 ? tag >>> 2 : number) + 1;
      if (length > packed.length - at || length > out.length - to) throw snappyError("a literal too long");
      out.set(packed.subarray(at, at + length), to);
      at += length;
      to += length;
    } else {
      to = copy(out, to, tag, number);
    }
  }
  return to;
}

/** Returns the number of bytes of length or offset after a tag. */
function extraBytes(tag: number): number {
  const kind = tag & 3;
  if (kind === 0) return Math.max(0, (tag >>> 2) - 59);
  return kind === 3 ? 4 : kind;
}

function copy(out: Uint8Array, to: number, tag: number, number: number): number {
  const near = (tag & 3) === 1;
  const length = near ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
  const offset = near ? (tag >>> 5) * 256 + number : number;
  if (offset === 0 || offset > to || length > out.length - to) throw snappyError("a copy out of range");
  if (offset >= length) out.copyWithin(to, to - offset, to - offset + length);
  else for (let i = to; i < to + length; i++) out[i] = out[i - offset] as number; // in range: checked above
  return to + length;
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] as number); // checked by the caller
  return value;
}

function snappyError(what: string): BytesError {
  return new BytesError("bad-snappy", `snappy: ${what}`);
}
