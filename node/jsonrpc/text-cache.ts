/**
 * A cache of JSON texts that were answered, within a limit of memory, first in, first out. Its user clears it when an
 * answer can change.
 */
import { SizedMap } from "../runtime/sized-map.ts";
import type { ByteCache } from "./byte-cache.ts";

/** Memory of an entry beside its texts: two strings and a place in the map. */
const ENTRY_BYTES = 200;

/** Texts by key. Keys and texts are ASCII. */
export class TextCache {
  readonly #maxBytes: number;
  readonly #repeated: ByteCache | undefined;
  readonly #texts: SizedMap<string>;

  /** Texts that are read again are added to `repeated`. */
  constructor(maxBytes: number, repeated?: ByteCache) {
    this.#maxBytes = maxBytes;
    this.#repeated = repeated;
    this.#texts = new SizedMap(maxBytes, costOf, repeated && ((text) => repeated.delete(text)));
  }

  get(key: string): string | undefined {
    const text = this.#texts.get(key);
    if (text !== undefined) this.#repeated?.add(text);
    return text;
  }

  /** Adds a text under a new key and deletes the oldest ones above the limit. A text above it is not kept. */
  add(key: string, text: string): void {
    if (costOf(text, key) <= this.#maxBytes) this.#texts.add(key, text);
  }

  clear(): void {
    this.#texts.clear();
  }
}

function costOf(text: string, key: string): number {
  return key.length + text.length + ENTRY_BYTES;
}
