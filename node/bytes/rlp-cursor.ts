/**
 * Reads RLP in one pass without an object per item; used for accounts, transactions and headers. Strict like
 * `rlp.ts`: lengths and integers are canonical, and nothing is read past the end. Byte strings are
 * views. Every method throws `BytesError` `bad-rlp` for other input.
 */
import type { Address, Hash } from "./brands.ts";
import type { BytesError } from "./error.ts";
import { bytesToBigint } from "./integer.ts";
import { RLP_LIST, readRlpHeader, rlpError, rlpPayload } from "./rlp-header.ts";

const words = new DataView(new ArrayBuffer(32));
const wordBytes = new Uint8Array(words.buffer);

/** A position in `bytes` that moves forward item by item; `end` is the end of the innermost list. */
export class RlpCursor {
  readonly bytes: Uint8Array;
  at: number;
  end: number;
  #start = 0;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** True when the innermost list has no more items. */
  get done(): boolean {
    return this.at >= this.end;
  }

  /** True when the next item is a list. */
  get atList(): boolean {
    return this.at < this.end && (this.bytes[this.at] as number) >= RLP_LIST; // in range: checked
  }

  /** Enters a list. Returns the end of the outer list for `leave`. */
  enter(): number {
    if (!this.atList)
      throw this.#error(this.done ? "an item is missing" : "a byte string where a list is wanted");
    const length = this.#header();
    const outer = this.end;
    this.at = this.#start;
    this.end = this.#start + length;
    return outer;
  }

  /** Leaves a list, which must have been read to its end. */
  leave(outer: number): void {
    if (this.at !== this.end) throw this.#error("more items than expected");
    this.end = outer;
  }

  /** Reads a byte string of at most `maxLength` bytes. */
  string(maxLength = 0x7fff_ffff): Uint8Array {
    const length = this.#stringHeader();
    if (length > maxLength) throw this.#error(`a byte string of ${length} bytes, at most ${maxLength}`);
    this.at = this.#start + length;
    return this.#view(this.#start, length);
  }

  /** Reads a byte string of exactly `length` bytes. */
  fixedBytes(length: number): Uint8Array {
    const found = this.#stringHeader();
    if (found !== length) throw this.#error(`a byte string of ${found} bytes, not ${length}`);
    this.at = this.#start + length;
    return this.#view(this.#start, length);
  }

  /** Reads an address. */
  address(): Address {
    return this.fixedBytes(20);
  }

  /** Reads a hash. */
  hash(): Hash {
    return this.fixedBytes(32);
  }

  /** Reads a byte string of `length` bytes, or undefined for an empty one. */
  optionalFixed(length: number): Uint8Array | undefined {
    if (this.at < this.end && this.bytes[this.at] === 0x80) {
      this.at++;
      return undefined;
    }
    return this.fixedBytes(length);
  }

  /** Reads an integer as its big-endian bytes, at most `maxBytes`, without leading zeros. */
  integerView(maxBytes = 32): Uint8Array {
    const length = this.#integerHeader(maxBytes);
    this.at = this.#start + length;
    return this.#view(this.#start, length);
  }

  /** Reads an unsigned integer of at most `maxBytes` (up to 32) bytes. */
  bigint(maxBytes = 32): bigint {
    const length = this.#integerHeader(maxBytes);
    this.at = this.#start + length;
    return readBigEndian(this.bytes, this.#start, length);
  }

  /** Reads an unsigned integer of any size, or of at most `maxBytes`. */
  integer(maxBytes = Number.POSITIVE_INFINITY): bigint {
    const length = this.#integerHeader(maxBytes);
    const start = this.#start;
    this.at = start + length;
    return length <= 32
      ? readBigEndian(this.bytes, start, length)
      : bytesToBigint(this.bytes.subarray(start, this.at));
  }

  /** Reads an unsigned integer of at most 2^53 - 1. */
  number(maxBytes = 8): number {
    const length = this.#integerHeader(maxBytes);
    let value = 0;
    for (let i = 0; i < length; i++) value = value * 256 + (this.bytes[this.#start + i] as number); // in range
    if (value > Number.MAX_SAFE_INTEGER) throw this.#error("integer above 2^53 - 1");
    this.at = this.#start + length;
    return value;
  }

  /** Reads a boolean: 0x80 is false, 0x01 is true. */
  boolean(): boolean {
    const value = this.number(1);
    if (value > 1) throw this.#error(`${value} where a truth value is wanted`);
    return value === 1;
  }

  /** Skips one item of either kind and returns its bytes with the header. */
  raw(): Uint8Array {
    const from = this.at;
    this.skip();
    return this.#view(from, this.at - from);
  }

  /** Skips one item of either kind. */
  skip(): void {
    const length = this.#header();
    this.at = this.#start + length;
  }

  /** Skips a byte string, of exactly `length` bytes when given. */
  skipString(length?: number): void {
    const found = this.#stringHeader();
    if (length !== undefined && found !== length) {
      throw this.#error(`a byte string of ${found} bytes, not ${length}`);
    }
    this.at = this.#start + found;
  }

  /** The constructor makes a view a third faster than `subarray`, which looks for subclasses. */
  #view(start: number, length: number): Uint8Array {
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + start, length);
  }

  #integerHeader(maxBytes: number): number {
    const length = this.#stringHeader();
    if (length > maxBytes) throw this.#error(`integer of ${length} bytes, at most ${maxBytes}`);
    if (length > 0 && this.bytes[this.#start] === 0) throw this.#error("integer with leading zero bytes");
    return length;
  }

  #stringHeader(): number {
    if (this.atList) throw this.#error("a list where a byte string is wanted");
    return this.#header();
  }

  /** Finds the start of the next item's payload, stored in `#start`, and returns its length; `at` stays. */
  #header(): number {
    readRlpHeader(this.bytes, this.at, this.end);
    this.#start = rlpPayload.start;
    return rlpPayload.end - rlpPayload.start;
  }

  #error(what: string): BytesError {
    return rlpError(what, this.at);
  }
}

/**
 * Returns `length` (up to 32) big-endian bytes at `start` as an integer; a few times as fast as by way of
 * hex.
 */
export function readBigEndian(bytes: Uint8Array, start: number, length: number): bigint {
  if (length <= 6) {
    let value = 0;
    for (let i = 0; i < length; i++) value = value * 256 + (bytes[start + i] as number); // the caller's range
    return BigInt(value);
  }
  const wordCount = (length + 7) >> 3;
  const offset = wordCount * 8 - length;
  wordBytes.fill(0, 0, offset);
  for (let i = 0; i < length; i++) wordBytes[offset + i] = bytes[start + i] as number; // the caller's range
  let value = words.getBigUint64(0);
  for (let i = 1; i < wordCount; i++) value = (value << 64n) | words.getBigUint64(i * 8);
  return value;
}
