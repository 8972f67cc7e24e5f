import { readWord, writeWord } from "../bytes/word.ts";
import { hashInput, keccak256, keccakInput, keccakOutput } from "../crypto/keccak.ts";

/** No frame gets more, whatever it pays: 2^31 bytes cost 8.8 * 10^12 gas. */
const MOST_BYTES = 2 ** 31;
/** A released frame keeps no more than this. */
const KEPT_BYTES = 16_384;

const keccakInputView = new DataView(keccakInput.buffer, keccakInput.byteOffset, keccakInput.length);
const keccakOutputView = new DataView(keccakOutput.buffer, keccakOutput.byteOffset, keccakOutput.length);

/** The memory of one frame: grows in words of 32 bytes, for gas that rises with the square. */
export class Memory {
  bytes = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);
  /** Bytes that count, a multiple of 32. */
  size = 0;
  #paid = 0;

  /** Gas for reaching up to `end`; `Infinity` for what no frame can have. */
  expansion(end: number): number {
    if (end <= this.size) return 0;
    if (end > MOST_BYTES) return Infinity;
    return costOf(Math.ceil(end / 32)) - this.#paid;
  }

  /** Makes sure that the bytes up to `end` are there; the gas has been paid. */
  grow(end: number): void {
    if (end <= this.size) return;
    const words = Math.ceil(end / 32);
    const size = words * 32;
    if (size > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(size, Math.min(this.bytes.length * 2, MOST_BYTES), 1024));
      bytes.set(this.bytes.subarray(0, this.size));
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer);
    } else this.bytes.fill(0, this.size, size);
    this.size = size;
    this.#paid = costOf(words);
  }

  /** Empties it for another frame. */
  reset(): void {
    this.size = 0;
    this.#paid = 0;
    if (this.bytes.length <= KEPT_BYTES) return;
    this.bytes = new Uint8Array(0);
    this.view = new DataView(this.bytes.buffer);
  }

  load(at: number): bigint {
    return readWord(this.view, at);
  }

  store(at: number, word: bigint): void {
    writeWord(this.view, at, word);
  }

  /** A copy of some bytes. */
  slice(at: number, length: number): Uint8Array {
    return this.bytes.slice(at, at + length);
  }

  /** Copies `length` bytes of `source` from `from` on, zeros where it has none. */
  copy(at: number, source: Uint8Array, from: number, length: number): void {
    const there = Math.max(0, Math.min(length, source.length - from));
    if (there > 0) {
      this.bytes.set(there === source.length ? source : source.subarray(from, from + there), at);
    }
    if (there < length) this.bytes.fill(0, at + there, at + length);
  }

  /** keccak of some bytes as a word. */
  hash(at: number, length: number): bigint {
    if (length > keccakInput.length) return longHash(this.bytes.subarray(at, at + length));
    if (length <= 128 && (length & 7) === 0) {
      for (let i = 0; i < length; i += 8) {
        keccakInputView.setBigUint64(i, this.view.getBigUint64(at + i));
      }
    } else keccakInput.set(this.bytes.subarray(at, at + length));
    hashInput(length);
    return readWord(keccakOutputView, 0);
  }
}

function longHash(bytes: Uint8Array): bigint {
  const hash = keccak256(bytes);
  return readWord(new DataView(hash.buffer), 0);
}

/** Exact: at most 2^26 words. */
function costOf(words: number): number {
  return words * 3 + Math.floor((words * words) / 512);
}
