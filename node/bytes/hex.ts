/**
 * Hex text and bytes. Text is lower case and begins with `0x`; parsing accepts upper-case digits
 * and always an even number of them.
 */
import { BytesError } from "./error.ts";

/** A branded `0x` string of 32 bytes, used at edges and as a map key. */
export type HashText = `0x${string}` & { readonly __brand: "HashText" };
/** A branded `0x` string of 20 bytes, lower case. */
export type AddressText = `0x${string}` & { readonly __brand: "AddressText" };

/** Node's own conversions, which its types do not name; twice as fast as going through a new buffer. */
const native = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, start: number, end: number): string;
  hexSlice(this: Uint8Array, start: number, end: number): string;
};

/** Bytes to `0x` text, two digits a byte. */
export function toHex(bytes: Uint8Array): `0x${string}` {
  return `0x${bareHex(bytes)}`;
}

/** Bytes to lower-case digits without `0x`. */
export function bareHex(bytes: Uint8Array): string {
  return native.hexSlice.call(bytes, 0, bytes.length);
}

/** `0x` text to bytes. Throws `BytesError` `bad-hex` on a missing prefix, odd length or foreign digit. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  if (!text.startsWith("0x")) throw new BytesError("bad-hex", `hex text without 0x prefix: ${shorten(text)}`);
  return fromBareHex(text.slice(2));
}

/** Digits without `0x` to bytes. Throws `BytesError` `bad-hex`. */
export function fromBareHex(digits: string): Uint8Array<ArrayBuffer> {
  if (digits.length % 2 !== 0) throw new BytesError("bad-hex", `odd number of hex digits: ${digits.length}`);
  const bytes = digitBytes(digits);
  if (bytes === undefined) throw new BytesError("bad-hex", `not a hex digit in ${shorten(digits)}`);
  return bytes;
}

/** Digits without `0x` to bytes; undefined for an odd number of digits or a foreign one. */
export function tryBareHex(digits: string): Uint8Array<ArrayBuffer> | undefined {
  return digits.length % 2 === 0 ? digitBytes(digits) : undefined;
}

/** The bytes of an even number of digits; undefined where one is none. */
export function digitBytes(digits: string): Uint8Array<ArrayBuffer> | undefined {
  const length = digits.length / 2;
  return length <= SHORT ? shortBytes(digits, 0, length) : longBytes(digits);
}

/** Up to so many bytes a loop is faster: an array of that length has no memory of its own that Node could write to. */
const SHORT = 40;

/** So many bytes from the digits at a place of a text; undefined where one is none. */
export function shortBytes(text: string, start: number, length: number): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(length);
  for (let i = 0, at = start; i < length; i++, at += 2) {
    const high = DIGIT_VALUES[text.charCodeAt(at)];
    const low = DIGIT_VALUES[text.charCodeAt(at + 1)];
    if (high === undefined || low === undefined || (high | low) > 15) return undefined;
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

/** Node takes a character above 255 for its low byte, so the digits are looked at before. */
const DIGITS = /^[0-9a-fA-F]*$/;

function longBytes(digits: string): Uint8Array<ArrayBuffer> | undefined {
  return DIGITS.test(digits) ? new Uint8Array(Buffer.from(digits, "hex")) : undefined;
}

const NO_DIGIT = 0xff;
/** Value of each character below 128. */
const DIGIT_VALUES = new Uint8Array(128).fill(NO_DIGIT);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  DIGIT_VALUES[digit.charCodeAt(0)] = value;
  DIGIT_VALUES[digit.toUpperCase().charCodeAt(0)] = value;
}

/** 32 bytes to a `HashText`. */
export function hashText(bytes: Uint8Array): HashText {
  if (bytes.length !== 32) throw new BytesError("bad-length", `a hash has 32 bytes, not ${bytes.length}`);
  return toHex(bytes) as HashText; // length checked above
}

/** 20 bytes to an `AddressText`. */
export function addressText(bytes: Uint8Array): AddressText {
  if (bytes.length !== 20) throw new BytesError("bad-length", `an address has 20 bytes, not ${bytes.length}`);
  return toHex(bytes) as AddressText; // length checked above
}

/** Bytes to a one-character-a-byte string: the cheapest map key there is. Never shown to anyone. */
export function mapKey(bytes: Uint8Array): string {
  return native.latin1Slice.call(bytes, 0, bytes.length);
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
