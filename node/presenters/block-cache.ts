/**
 * A bounded cache of blocks as JSON text: explorers and indexers all ask for the newest blocks. Requests for
 * a text that is being written share its promise.
 */
import { mapKey } from "../bytes/hex.ts";
import type { ByteCache } from "../jsonrpc/byte-cache.ts";
import type { Block } from "../model/block.ts";
import { SizedMap } from "../runtime/sized-map.ts";
import type { BlockText } from "./block.ts";

/** Default capacity, in characters. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Cache of block texts, first in, first out. */
export class BlockCache {
  readonly #bytes: ByteCache;
  readonly #max: number;
  readonly #texts: SizedMap<string>;
  /** Texts that are being written. */
  readonly #pending = new Map<string, Promise<string>>();

  constructor(bytes: ByteCache, max = MAX_CHARACTERS) {
    this.#bytes = bytes;
    this.#max = max;
    this.#texts = new SizedMap(
      max,
      ({ length }) => length,
      (text) => bytes.delete(text),
    );
  }

  /**
   * Returns the text of a block, written on a miss. `form` must name every choice that the text depends on.
   */
  text({ hash }: Pick<Block, "hash">, form: string, write: () => BlockText): BlockText {
    const key = mapKey(hash) + form;
    const known = this.#texts.get(key);
    if (known !== undefined) {
      this.#bytes.add(known); // from the second time on
      return known;
    }
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const text = write();
    if (typeof text === "string") this.#keep(key, text);
    else {
      this.#pending.set(key, text);
      text.then(
        (late) => {
          this.#pending.delete(key);
          this.#keep(key, late);
        },
        () => this.#pending.delete(key),
      );
    }
    return text;
  }

  /** Stores a text and evicts the oldest ones. A text above the capacity of the cache is not stored. */
  #keep(key: string, text: string): void {
    if (text.length <= this.#max) this.#texts.add(key, text);
  }
}
