/**
 * Bytes that arrive in chunks, in one growing buffer. Chunks are copied, so that neither their number nor the
 * pools that they come from cost memory. `memory` is the cost of the bytes, however they arrived.
 */

/** Bytes of the buffer object, the record of its backing store and its entry in a budget. */
const OVERHEAD = 256;
const MIN_CAPACITY = 256;
const EMPTY = Buffer.alloc(0);

/** A buffer that doubles as it grows. */
export class GrowingBuffer {
  readonly #usualMax: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  /** `usualMax` is a length that the bytes seldom exceed: doubling stops there once. */
  constructor(usualMax: number) {
    this.#usualMax = usualMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory; 0 when empty. A buffer that grows takes half as much again. */
  get memory(): number {
    return this.#bytes === EMPTY ? 0 : this.#bytes.length + OVERHEAD;
  }

  /** Appends a copy of a chunk. */
  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** Returns the position of a text at or after `from`; -1 when it does not occur. */
  indexOf(text: string, from: number): number {
    return this.#bytes.subarray(0, this.#length).indexOf(text, from, "latin1");
  }

  /** Returns the bytes and empties the buffer. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return taken;
  }

  #grow(length: number): void {
    const doubled = Math.max(MIN_CAPACITY, 2 * this.#bytes.length);
    const capacity = length <= this.#usualMax ? Math.min(doubled, this.#usualMax) : doubled;
    const larger = Buffer.allocUnsafeSlow(Math.max(capacity, length)); // no slab: a slice would keep all of it
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
