/**
 * Bytes that arrive in pieces, in one buffer that grows. Pieces are copied, so that neither their number nor the chunks
 * that they were cut from take memory; `memory` is what the bytes cost, whatever came.
 */

/** Bytes of the buffer object, its backing store's record and its owner's entry in a budget. */
const OVERHEAD = 256;
const MIN_CAPACITY = 256;
const EMPTY = Buffer.alloc(0);

/** See the file's header. */
export class GrowingBuffer {
  readonly #usualMax: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  /** `usualMax` is the length that the bytes seldom pass: doubling stops there before it goes on. */
  constructor(usualMax: number) {
    this.#usualMax = usualMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory in use; 0 when empty. While the buffer grows it takes half as much again. */
  get memory(): number {
    return this.#bytes === EMPTY ? 0 : this.#bytes.length + OVERHEAD;
  }

  /** Copies a piece to the end. */
  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** The position of a text at or after `from`; -1 when it is not there. */
  indexOf(text: string, from: number): number {
    return this.#bytes.subarray(0, this.#length).indexOf(text, from, "latin1");
  }

  /** Hands the bytes over; the buffer is empty then. */
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
