/** Numbers and checksums as the engine writes them (leveldb `doc/table_format.md`, `util/coding.h`, `util/crc32c.h`). */
import { crc32c } from "../crypto/crc32c.ts";

/** Reads one thing after the other. Throws `RangeError` where it ends or a number is none. */
export class EngineCursor {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A number of seven bits a byte, the lowest first; exact up to 2^53. */
  varint(): number {
    let value = 0;
    for (let place = 0; place < 8; place++) {
      const byte = this.take(1)[0] as number; // one was taken
      value += (byte & 127) * 2 ** (7 * place);
      if (byte < 128) return value;
    }
    throw new RangeError("a number that does not end");
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length)
      throw new RangeError(`${length} bytes at ${this.#at} of ${this.#bytes.length}`);
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Bytes behind their length. */
  text(): Uint8Array {
    return this.take(this.varint());
  }
}

/** Four bytes, the lowest first. */
export function fixed32(bytes: Uint8Array, at: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUInt32LE(at);
}

/** A checksum as it is stored: turned by 15 bits and shifted, so that sums of sums differ. */
export function maskedCrc(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
