/**
 * A cache of long results as bytes. They are sent again without being copied or scanned for characters beyond
 * ASCII.
 */

/** Shorter texts are as fast to send as text. */
const LONG_TEXT = 16 * 1024;

/** Bytes that the cache holds at most. */
const MAX_KEPT = 8 * 1024 * 1024;

/** Bytes by their text. The owner of a text adds it and deletes it. */
export class ByteCache {
  readonly #max: number;
  readonly #bytes = new Map<string, Buffer>();
  #kept = 0;

  constructor(max = MAX_KEPT) {
    this.#max = max;
  }

  /** Returns the bytes of a text; undefined when it is not cached. */
  get(text: string): Buffer | undefined {
    return text.length < LONG_TEXT ? undefined : this.#bytes.get(text);
  }

  /** Adds a long text and deletes the oldest ones above the limit. */
  add(text: string): void {
    if (text.length < LONG_TEXT || this.#bytes.has(text)) return;
    const bytes = Buffer.from(text);
    this.#bytes.set(text, bytes);
    this.#kept += bytes.length;
    for (const oldest of this.#bytes.keys()) {
      if (this.#kept <= this.#max || oldest === text) return;
      this.delete(oldest);
    }
  }

  delete(text: string): void {
    this.#kept -= this.#bytes.get(text)?.length ?? 0;
    this.#bytes.delete(text);
  }
}
