/** Tests of the writing of the trie: intervals, slices, work between. */
import { expect, test } from "@jest/globals";
import { openState } from "../../../node/state/open-state.ts";
import { memoryTries, type TrieStores } from "../../../node/state/trie/generations.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Store } from "../../../node/store/store.ts";
import { trieTables } from "../../../node/store/tables.ts";
import {
  anAddress,
  bound,
  closeTogether,
  keptTries,
  makeBlock,
  type Opened,
  openInMemory,
} from "./fixture.ts";
import { randomBlock } from "./random-contracts.ts";

const MARKER = trieTables.marker.key();

/** A state and the number of its marker on disk. */
async function openCounted(settings: { flushInterval: number; flushBytes?: number }): Promise<{
  node: Opened;
  marker: () => Promise<number | undefined>;
}> {
  const chain = createMemoryStore();
  const trie = keptTries();
  const node = closeTogether(chain, await openState({ chain, trie, gatherBytes: 1, ...settings }));
  const marker = async (): Promise<number | undefined> => {
    const row = (await trie.open(0)).get(MARKER);
    return row && Buffer.from(row).readUIntBE(0, 6);
  };
  return { node, marker };
}

const pay = (node: Opened): Promise<Uint8Array> =>
  makeBlock(node, (world) => {
    for (let i = 0; i < 20; i++) world.addBalance(anAddress(i), 1n);
  });

test("the trie is written when it is an interval behind, whatever the number of the block", async () => {
  const { node, marker } = await openCounted({ flushInterval: 4 });
  await using _ = node;
  await pay(node);
  await pay(node);
  expect(node.state.figures().flushes).toEqual({ lastMs: 0, rows: 0, bytes: 0 });
  await node.state.flush();
  const { lastMs, rows, bytes } = node.state.figures().flushes;
  expect([lastMs > 0, rows > 20, bytes > 20 * 32]).toEqual([true, true, true]); // a leaf for each account at least
  const markers: (number | undefined)[] = [];
  for (let n = 2; n <= 10; n++) {
    await pay(node);
    markers.push(await marker());
  }
  expect(markers).toEqual([1, 1, 1, 5, 5, 5, 5, 9, 9]);
});

test("the trie is written when its changed nodes take more than the limit", async () => {
  const { node, marker } = await openCounted({ flushInterval: 1000, flushBytes: 4000 });
  await using _ = node;
  await pay(node);
  expect(await marker()).toBeUndefined();
  for (let n = 1; n < 4; n++) await makeBlock(node, (world) => world.addBalance(anAddress(1), 1n));
  expect(await marker()).toBeUndefined();
  await makeBlock(node, (world) => {
    for (let i = 0; i < 100; i++) world.addBalance(anAddress(100 + i), 1n);
  });
  expect(await marker()).toBe(4);
});

test("nothing is sealed while the changes are gathered", async () => {
  const { node } = await openCounted({ flushInterval: 1000 });
  await using _ = node;
  await pay(node);
  const world = node.state.begin();
  const flushing = node.state.flush();
  await Promise.resolve();
  expect(() => node.state.seal(world)).toThrow(expect.objectContaining({ code: "busy" }));
  await flushing;
  expect(node.state.seal(world).root).toEqual(node.state.root);
});

test("a trie that cannot be written is reported by the next flush", async () => {
  const store = createMemoryStore();
  const failing: Store = {
    ...bound(store),
    write: () => Promise.reject(new Error("no space left")),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
  const trie: TrieStores = { ...memoryTries(), open: async () => failing };
  const chain = createMemoryStore();
  await using node = closeTogether(chain, await openState({ chain, trie, flushInterval: 1 }));
  await pay(node);
  await expect(pay(node)).rejects.toThrow("no space left");
});

test("a block sealed in slices has the root of one sealed at once, and can be taken back", async () => {
  await using atOnce = await openInMemory();
  await using inSlices = await openInMemory();
  for (const node of [atOnce, inSlices]) await makeBlock(node, randomBlock(0));
  for (let number = 1; number < 6; number++) {
    const root = await makeBlock(atOnce, randomBlock(number));
    const { chain, state } = inSlices;
    const batch = chain.createBatch();
    for (const isKept of [false, true]) {
      const world = state.begin();
      randomBlock(number)(world);
      const sealing = state.sealInSlices(world);
      expect(() => state.seal(state.begin())).toThrow(expect.objectContaining({ code: "busy" }));
      const sealed = await sealing;
      expect(sealed.root).toEqual(root);
      if (isKept) sealed.commit(number, batch);
      else sealed.discard();
    }
    await chain.write(batch, { sync: true });
    state.markPersisted(number);
  }
  await inSlices.state.verify();
});
