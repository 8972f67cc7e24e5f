/**
 * A cache of long results as bytes. They are sent again without being copied or scanned for characters beyond
 * ASCII.
 */
import { SizedMap } from "../runtime/sized-map.ts";

/** Shorter texts are as fast to send as text. */
const LONG_TEXT = 16 * 1024;

/** Bytes that the cache holds at most. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Bytes by their text. The owner of a text adds it and deletes it. */
export class ByteCache {
  readonly #bytes: SizedMap<Buffer>;

  constructor(max = MAX_BYTES) {
    this.#bytes = new SizedMap(max, ({ length }) => length);
  }

  /** Returns the bytes of a text; undefined when it is not cached. */
  get(text: string): Buffer | undefined {
    return text.length < LONG_TEXT ? undefined : this.#bytes.get(text);
  }

  /** Adds a long text and deletes the oldest ones above the limit. */
  add(text: string): void {
    if (text.length < LONG_TEXT || this.#bytes.get(text) !== undefined) return;
    this.#bytes.add(text, Buffer.from(text));
  }

  delete(text: string): void {
    this.#bytes.delete(text);
  }
}
