/** Unsigned integers as big-endian bytes and as JSON-RPC quantities (`0x` and no leading zero). */
import { BytesError } from "./error.ts";
import { bareHex } from "./hex.ts";

const NONE = new Uint8Array(0);
const ZERO = 0x30;

/** Highest integer of 64 bits. */
export const MAX_UINT64 = (1n << 64n) - 1n;

/** The shortest big-endian form; zero is no bytes. Negative numbers throw `RangeError`. */
export function integerBytes(value: bigint | number): Uint8Array {
  if (typeof value === "number") return numberBytes(value);
  if (value < 0n) throw new RangeError(`negative integer: ${value}`);
  if (value === 0n) return NONE;
  if (value <= 0xffff_ffffn) return numberBytes(Number(value));
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}

function numberBytes(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an unsigned integer: ${value}`);
  let length = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++;
  const bytes = new Uint8Array(length);
  for (let rest = value, i = length - 1; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
  return bytes;
}

/** Big-endian bytes of any length to an integer; leading zeros are fine. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  if (bytes.length <= 6) return BigInt(bytesToNumber(bytes));
  return BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`);
}

/** Big-endian bytes to a number; throws `BytesError` `bad-quantity` above 2^53 - 1. */
export function bytesToNumber(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = value * 256 + byte;
  if (value > Number.MAX_SAFE_INTEGER) throw new BytesError("bad-quantity", "integer above 2^53 - 1");
  return value;
}

/** An integer in exactly `length` big-endian bytes. Throws `RangeError` when it does not fit. */
export function fixedBytes(value: bigint | number, length: number): Uint8Array<ArrayBuffer> {
  const short = integerBytes(value);
  if (short.length > length) throw new RangeError(`${value} does not fit ${length} bytes`);
  const bytes = new Uint8Array(length);
  bytes.set(short, length - short.length);
  return bytes;
}

/** Big-endian bytes without leading zeros: a part of the same memory. */
export function trimZeros(bytes: Uint8Array): Uint8Array {
  let zeros = 0;
  while (bytes[zeros] === 0) zeros++;
  return bytes.subarray(zeros);
}

/** Big-endian bytes of any length as a JSON-RPC quantity. */
export function bytesToQuantity(bytes: Uint8Array): `0x${string}` {
  const digits = bareHex(bytes);
  let zeros = 0;
  while (digits.charCodeAt(zeros) === ZERO) zeros++;
  return zeros === digits.length ? "0x0" : `0x${digits.slice(zeros)}`;
}

/** An integer as a JSON-RPC quantity, for example `0x0` or `0x1f`. */
export function toQuantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`;
}
