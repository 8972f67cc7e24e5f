/**
 * Unpacks Snappy's raw block form (format_description.txt of google/snappy). The input is untrusted: no memory
 * is allocated before the length is checked, and no copy reads beyond the bytes unpacked so far.
 */
import { BytesError } from "./error.ts";

/** Maximum ratio of lengths: a copy yields at most 64 bytes from 3. */
const MAX_RATIO = 22;

/** First tag of a literal whose length follows it. */
const MIN_LONG_LITERAL = 60 << 2;

/** Returns the unpacked length in a block's header. Throws `BytesError` `bad-snappy`. */
export function snappyLength(packed: Uint8Array): number {
  return readLength(packed).value;
}

/** Unpacks a block. Throws `BytesError` `bad-snappy`. */
export function unpackSnappyBlock(packed: Uint8Array): Uint8Array {
  const steps = snappyBlockSteps(packed);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Bytes of one step, which takes about 2 ms even of a hostile block. */
const STEP_BYTES = 256 * 1024;

/** Unpacks a block in steps. Throws `BytesError` `bad-snappy`. */
export function* snappyBlockSteps(packed: Uint8Array): Generator<undefined, Uint8Array> {
  const header = readLength(packed);
  if (header.value > packed.length * MAX_RATIO) throw snappyError("a length that the block cannot fill");
  const out = new Uint8Array(header.value);
  const place = { at: header.next, to: 0 };
  for (;;) {
    unpack(packed, out, place);
    if (place.at >= packed.length) break;
    yield;
  }
  if (place.to !== out.length) throw snappyError(`${place.to} bytes where ${out.length} were announced`);
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

/** Bytes up to this number are copied one by one: a call of a function of typed arrays takes longer. */
const MAX_SHORT = 24;

/** Position of the next tag of a block, and the number of bytes unpacked. */
interface Place {
  at: number;
  to: number;
}

/** Goes on at a place, which it moves, for a step. */
function unpack(packed: Uint8Array, out: Uint8Array, place: Place): void {
  let { at, to } = place;
  const end = Math.min(packed.length, at + STEP_BYTES);
  const full = to + STEP_BYTES;
  while (at < end && to < full) {
    const tag = packed[at] as number; // in range: tested by the loop
    const extra = extraBytes(tag);
    if (at + extra >= packed.length) throw snappyError("cut off");
    const number = littleEndian(packed, at + 1, extra);
    at += 1 + extra;
    if ((tag & 3) === 0) {
      const length = (extra === 0 ? tag >>> 2 : number) + 1;
      if (length > packed.length - at || length > out.length - to) throw snappyError("a literal too long");
      putLiteral(out, to, packed, at, length);
      at += length;
      to += length;
    } else {
      to = copy(out, to, tag, number);
    }
  }
  place.at = at;
  place.to = to;
}

/** Returns the number of bytes of length or offset after a tag. */
function extraBytes(tag: number): number {
  const kind = tag & 3;
  if (kind === 0) return tag < MIN_LONG_LITERAL ? 0 : (tag >>> 2) - 59;
  return kind === 3 ? 4 : kind;
}

// oxlint-disable-next-line max-params -- an object for each literal would take longer than the literal
function putLiteral(out: Uint8Array, to: number, packed: Uint8Array, at: number, length: number): void {
  if (length > MAX_SHORT) out.set(packed.subarray(at, at + length), to);
  else for (let i = 0; i < length; i++) out[to + i] = packed[at + i] as number; // in range: checked by the caller
}

function copy(out: Uint8Array, to: number, tag: number, number: number): number {
  const near = (tag & 3) === 1;
  const length = near ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
  const offset = near ? (tag >>> 5) * 256 + number : number;
  if (offset === 0 || offset > to || length > out.length - to) throw snappyError("a copy out of range");
  const end = to + length;
  if (length > MAX_SHORT && offset >= length) out.copyWithin(to, to - offset, end - offset);
  else for (let i = to; i < end; i++) out[i] = out[i - offset] as number; // in range: checked above
  return end;
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] as number); // checked by the caller
  return value;
}

function snappyError(what: string): BytesError {
  return new BytesError("bad-snappy", `snappy: ${what}`);
}
