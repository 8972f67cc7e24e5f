/**
 * Blocks as they were shown last, as JSON text in bounded memory: explorers and indexers all ask for the newest ones.
 * A text that is being written is shared by all who ask for it meanwhile.
 */
import { mapKey } from "../bytes/hex.ts";
import type { KeptBytes } from "../jsonrpc/byte-cache.ts";
import type { Block } from "../model/block.ts";
import type { BlockText } from "./block.ts";

/** Characters kept. */
const MAX_KEPT = 16 * 1024 * 1024;

/** See the file's header. */
export class BlockTexts {
  readonly #bytes: KeptBytes;
  readonly #max: number;
  readonly #texts = new Map<string, BlockText>();
  #kept = 0;

  constructor(bytes: KeptBytes, max = MAX_KEPT) {
    this.#bytes = bytes;
    this.#max = max;
  }

  /** The text of a block in one form, which says in `form` all that it depends on; written when it is not kept. */
  text({ hash }: Pick<Block, "hash">, form: string, write: () => BlockText): BlockText {
    const key = mapKey(hash) + form;
    const known = this.#texts.get(key);
    if (known !== undefined) {
      if (typeof known === "string") this.#bytes.keep(known); // from the second time on
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

  /** The oldest go first; a text that is too long for all of the memory is not kept. */
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
      this.#bytes.drop(old);
    }
  }
}
