/** Memory of a frame: its size, the gas of its expansion, and access to its bytes. */
import { readWord, writeWord } from "../bytes/word.ts";
import { hashInput, keccak256, keccakInput, keccakOutput } from "../crypto/keccak.ts";

/** Upper bound of memory in bytes; 2^31 bytes cost 8.8 * 10^12 gas. */
const MAX_BYTES = 2 ** 31;
/** Upper bound of the buffer that a pooled frame keeps, in bytes. */
const MAX_POOLED_BYTES = 16_384;

const keccakInputView = new DataView(keccakInput.buffer, keccakInput.byteOffset, keccakInput.length);
const keccakOutputView = new DataView(keccakOutput.buffer, keccakOutput.byteOffset, keccakOutput.length);

/**
 * Memory of one frame. It grows in words of 32 bytes; its gas grows with the square of its size (yellow
 * paper, appendix H).
 */
export class Memory {
  bytes = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);
  /** Size in bytes, a multiple of 32; the buffer may be larger. */
  size = 0;
  #paid = 0;

  /** Returns the gas for an expansion to `end`; `Infinity` above the upper bound. */
  expansion(end: number): number {
    if (end <= this.size) return 0;
    if (end > MAX_BYTES) return Infinity;
    return costOf(Math.ceil(end / 32)) - this.#paid;
  }

  /** Expands memory to `end`; its gas has been charged. */
  grow(end: number): void {
    if (end <= this.size) return;
    const words = Math.ceil(end / 32);
    const size = words * 32;
    if (size > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(size, Math.min(this.bytes.length * 2, MAX_BYTES), 1024));
      bytes.set(this.bytes.subarray(0, this.size));
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer);
    } else this.bytes.fill(0, this.size, size);
    this.size = size;
    this.#paid = costOf(words);
  }

  /** Clears memory for another frame. */
  reset(): void {
    this.size = 0;
    this.#paid = 0;
    if (this.bytes.length <= MAX_POOLED_BYTES) return;
    this.bytes = new Uint8Array(0);
    this.view = new DataView(this.bytes.buffer);
  }

  load(at: number): bigint {
    return readWord(this.view, at);
  }

  store(at: number, word: bigint): void {
    writeWord(this.view, at, word);
  }

  /** Returns a copy of `length` bytes. */
  slice(at: number, length: number): Uint8Array {
    return this.bytes.slice(at, at + length);
  }

  /** Copies `length` bytes of `source` from offset `from`; bytes beyond its end are zeros. */
  copy(at: number, source: Uint8Array, from: number, length: number): void {
    const there = Math.max(0, Math.min(length, source.length - from));
    if (there > 0) {
      this.bytes.set(there === source.length ? source : source.subarray(from, from + there), at);
    }
    if (there < length) this.bytes.fill(0, at + there, at + length);
  }

  /** Returns the Keccak-256 hash of `length` bytes as a word. */
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

/** Total gas of a memory of so many words; exact, because there are at most 2^26. */
function costOf(words: number): number {
  return words * 3 + Math.floor((words * words) / 512);
}
