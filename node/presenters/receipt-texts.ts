/**
 * Receipts as JSON text, by transaction hash: clients ask for those of new blocks again and again. In: a hash and a way
 * to write the text. Out: the text, kept within a limit of memory until the chain is taken back or blocks are pruned.
 */
import type { Hash } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { TextCache } from "../jsonrpc/text-cache.ts";

/** Cache of receipts. */
export class ReceiptTexts {
  readonly #chain: Pick<Chain, "oldestBody">;
  readonly #texts: TextCache;
  #oldest = 0;

  constructor(chain: Pick<Chain, "onRewind" | "oldestBody">, maxBytes: number) {
    this.#chain = chain;
    this.#texts = new TextCache(maxBytes);
    chain.onRewind(() => this.#texts.clear());
  }

  /**
   * Returns a text, written on a miss. What is undefined is not kept: the transaction may come. Nor is a text that takes
   * more than one turn to write: it would replace all others.
   */
  text<Text extends string | Promise<string> | undefined>(
    hash: Hash,
    form: "chain" | "eth",
    write: () => Text,
  ): string | Text {
    this.#forgetPruned();
    const key = mapKey(hash) + form;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = write();
    if (typeof text === "string") this.#texts.add(key, text);
    return text;
  }

  /** Deletes all texts when blocks were pruned since the last call. */
  #forgetPruned(): void {
    const oldest = this.#chain.oldestBody();
    if (oldest !== this.#oldest) this.#texts.clear();
    this.#oldest = oldest;
  }
}
