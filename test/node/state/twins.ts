/** Sound states to compare damaged ones with. */
import { toHex } from "../../../node/bytes/hex.ts";
import { makeBlock, type Opened, openInMemory } from "./fixture.ts";
import { contentOf } from "./random-block.ts";
import { randomBlock } from "./random-contracts.ts";

/** Content of a sound state of the first blocks, and its root with one more; made once for each. */
export class Twins implements AsyncDisposable {
  readonly #node: Promise<Opened> = openInMemory({ retention: 1000 });
  readonly #known = new Map<number, { readonly content: unknown; readonly next: string }>();

  /** Of a block, and the root of the one after it. */
  async at(number: number): Promise<{ readonly content: unknown; readonly next: string }> {
    const node = await this.#node;
    while (!this.#known.has(number)) {
      const at = node.state.number;
      const content = at < 0 ? undefined : contentOf(node, at);
      await makeBlock(node, randomBlock(at + 1));
      this.#known.set(at, { content, next: toHex(node.state.root) });
    }
    return this.#known.get(number) as { content: unknown; next: string }; // made above
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#node)[Symbol.asyncDispose]();
  }
}
