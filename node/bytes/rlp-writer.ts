/**
 * Writes RLP from the last byte to the first, so that a list's length is known when its header is written and
 * nothing is measured beforehand; used for accounts, headers and signed messages. Fields are therefore
 * written in reverse order.
 */
import {
  isOneByteItem,
  MAX_SHORT_RLP,
  RLP_LIST,
  RLP_STRING,
  rlpHeaderLength,
  writeRlpHeader,
} from "./rlp-header.ts";

const words = new DataView(new ArrayBuffer(8));
const wordBytes = new Uint8Array(words.buffer);

/** A growing buffer that is filled backwards and can be reused after `take`. */
export class RlpWriter {
  #buffer: Uint8Array<ArrayBuffer>;
  #at: number;

  constructor(size = 1024) {
    this.#buffer = new Uint8Array(size);
    this.#at = size;
  }

  /** Number of bytes written; a mark for `list` and `wrap`. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  /** Empties the writer, also after a call that threw. */
  reset(): this {
    this.#at = this.#buffer.length;
    return this;
  }

  /** Returns the bytes as a new array and empties the writer. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.slice(this.#at);
    this.#at = this.#buffer.length;
    return bytes;
  }

  /** Returns a view of the bytes for a hash, valid until the next write. */
  get view(): Uint8Array {
    return this.#buffer.subarray(this.#at);
  }

  /** Writes bytes unchanged: an encoded item, or a type byte before a list. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#buffer.set(bytes, this.#at);
  }

  /** Writes one byte unchanged. */
  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[--this.#at] = value;
  }

  /** Writes a byte string. */
  string(bytes: Uint8Array): void {
    this.raw(bytes);
    if (!isOneByteItem(bytes)) this.#header(RLP_STRING, bytes.length);
  }

  /** Writes a byte string; undefined as the empty one. */
  optional(bytes: Uint8Array | undefined): void {
    if (bytes === undefined) this.byte(0x80);
    else this.string(bytes);
  }

  /** Writes an unsigned integer. Throws `RangeError` for a negative one. */
  integer(value: bigint | number): void {
    if (typeof value === "number") {
      this.#number(value);
      return;
    }
    if (value < 0n) throw new RangeError(`negative integer: ${value}`);
    if (value < 0x1_0000_0000n) this.#number(Number(value));
    else this.#bigint(value);
  }

  /** Writes the header of a list over everything since `mark`, the `length` before its last item. */
  list(mark: number): void {
    this.#header(RLP_LIST, this.length - mark);
  }

  /** Writes the header of a byte string over everything since `mark`, which must be two bytes or more. */
  wrap(mark: number): void {
    this.#header(RLP_STRING, this.length - mark);
  }

  #number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an unsigned integer: ${value}`);
    if (value > 0 && value < 0x80) {
      this.byte(value);
      return;
    }
    this.#reserve(9);
    const end = this.#at;
    for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) this.#buffer[--this.#at] = rest % 256;
    this.#header(RLP_STRING, end - this.#at);
  }

  #bigint(value: bigint): void {
    const end = this.length;
    for (let rest = value; rest > 0n; rest >>= 64n) {
      words.setBigUint64(0, BigInt.asUintN(64, rest));
      this.raw(wordBytes);
    }
    while (this.#buffer[this.#at] === 0) this.#at++;
    this.#header(RLP_STRING, this.length - end);
  }

  #header(base: number, length: number): void {
    if (length <= MAX_SHORT_RLP) {
      this.byte(base + length);
      return;
    }
    const header = rlpHeaderLength(length);
    this.#reserve(header);
    this.#at -= header;
    writeRlpHeader(this.#buffer, this.#at, base, length);
  }

  #reserve(count: number): void {
    if (this.#at >= count) return;
    const used = this.#buffer.subarray(this.#at);
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, used.length + count));
    larger.set(used, larger.length - used.length);
    this.#at = larger.length - used.length;
    this.#buffer = larger;
  }
}
