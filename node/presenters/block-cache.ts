/**
 * A bounded cache of blocks as JSON text: explorers and indexers all ask for the newest blocks. Requests for
 * a text that is being written share its promise.
 */
import { mapKey } from "../bytes/hex.ts";
import type { ByteCache } from "../jsonrpc/byte-cache.ts";
import type { Block } from "../model/block.ts";
import type { BlockText } from "./block.ts";

/** Default capacity, in characters. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Cache of block texts, first in, first out. */
export class BlockCache {
  readonly #bytes: ByteCache;
  readonly #max: number;
  readonly #texts = new Map<string, BlockText>();
  #kept = 0;

  constructor(bytes: ByteCache, max = MAX_CHARACTERS) {
    this.#bytes = bytes;
    this.#max = max;
  }

  /**
   * Returns the text of a block, written on a miss. `form` must name every choice that the text depends on.
   */
  text({ hash }: Pick<Block, "hash">, form: string, write: () => BlockText): BlockText {
    const key = mapKey(hash) + form;
    const known = this.#texts.get(key);
    if (known !== undefined) {
      if (typeof known === "string") this.#bytes.add(known); // from the second time on
      return known;
    }
    const text = write();
    if (typeof text === "string") this.#keep(key, text);
    else {
      this.#texts.set(key, text);
      text.then(
        (late) => this.#keep(key, late),
        () => this.#texts.delete(key),
      );
    }
    return text;
  }

  /** Stores a text and evicts the oldest ones. A text above the capacity of the cache is not stored. */
  #keep(key: string, text: string): void {
    this.#texts.delete(key);
    if (text.length > this.#max) return;
    this.#texts.set(key, text);
    this.#kept += text.length;
    for (const [oldest, old] of this.#texts) {
      if (this.#kept <= this.#max) return;
      if (typeof old !== "string") continue;
      this.#texts.delete(oldest);
      this.#kept -= old.length;
      this.#bytes.delete(old);
    }
  }
}
