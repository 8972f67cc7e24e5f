/** Batches of an import: the engine keeps each one until it is written, so none may be left over. */
import { expect, test } from "@jest/globals";
import { importRange } from "../../../node/go-data/block-range.ts";
import type { GoBlocks } from "../../../node/go-data/blocks.ts";
import { importPart } from "../../../node/go-data/state.ts";
import { EMPTY_TRIE_ROOT } from "../../../node/model/list-root.ts";
import { BatchChanges } from "../../../node/store/changes.ts";
import type { StoreWriter } from "../../../node/store/store.ts";
import { bareHeader } from "../../support/bare-header.ts";

/** A writer that counts the batches that it has created and not written. */
function countingWriter(): StoreWriter & { readonly left: () => number } {
  let left = 0;
  return {
    left: () => left,
    get: () => undefined,
    createBatch: () => {
      left++;
      return new BatchChanges();
    },
    write: async () => void left--,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

test.each([1, 700, 1_000_000])("a range writes all its batches of %i bytes", async (batchBytes) => {
  const chain = countingWriter();
  const hash = new Uint8Array(32);
  const blocks = { head: (number: number) => ({ header: bareHeader({ number }), hash }) };
  const rests: number[] = [];
  await importRange(
    { from: 3, to: 13 },
    {
      chain,
      blocks: blocks as unknown as GoBlocks, // headers are all that is asked for
      chainId: 1n,
      from: 100,
      batchBytes,
      throwIfStopped: () => undefined,
    },
    ({ from }) => rests.push(from),
  );
  expect(chain.left()).toBe(0);
  expect(rests.at(-1)).toBe(13);
  expect(rests).toHaveLength(new Set(rests).size);
});

test("a part of the state writes all its batches", async () => {
  const [chain, trie] = [countingWriter(), countingWriter()];
  const head = { number: 1, stateRoot: EMPTY_TRIE_ROOT };
  const part = { firstByte: 7, account: undefined, storage: undefined, accounts: 0, slots: 0 };
  const done: boolean[] = [];
  const state = { get: () => undefined };
  const options = { chain, trie, state, head, preimages: true, batchBytes: 1 };
  await importPart(part, { ...options, throwIfStopped: () => undefined }, (_part, isDone) =>
    done.push(isDone),
  );
  expect([chain.left(), trie.left(), done]).toEqual([0, 0, [true]]);
});
