/**
 * A cache of JSON texts that were answered, within a limit of memory, first in, first out. Its user clears it when an
 * answer can change.
 */
import type { ByteCache } from "./byte-cache.ts";

/** Memory of an entry beside its texts: two strings and a place in the map. */
const ENTRY_BYTES = 200;

/** Texts by key. Keys and texts are ASCII. */
export class TextCache {
  readonly #maxBytes: number;
  readonly #repeated: ByteCache | undefined;
  readonly #texts = new Map<string, string>();
  #bytes = 0;

  /** Texts that are read again are added to `repeated`. */
  constructor(maxBytes: number, repeated?: ByteCache) {
    this.#maxBytes = maxBytes;
    this.#repeated = repeated;
  }

  get(key: string): string | undefined {
    const text = this.#texts.get(key);
    if (text !== undefined) this.#repeated?.add(text);
    return text;
  }

  /** Adds a text under a new key and deletes the oldest ones above the limit. A text above it is not kept. */
  add(key: string, text: string): void {
    const bytes = costOf(key, text);
    if (bytes > this.#maxBytes) return;
    this.#texts.set(key, text);
    this.#bytes += bytes;
    for (const [oldest, old] of this.#texts) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#texts.delete(oldest);
      this.#bytes -= costOf(oldest, old);
      this.#repeated?.delete(old);
    }
  }

  clear(): void {
    for (const text of this.#texts.values()) this.#repeated?.delete(text);
    this.#texts.clear();
    this.#bytes = 0;
  }
}

function costOf(key: string, text: string): number {
  return key.length + text.length + ENTRY_BYTES;
}
