/** Tests of the opening of the trie database beside other work. */
import { expect, test } from "@jest/globals";
import { openState } from "../../../node/state/open-state.ts";
import { memoryTries } from "../../../node/state/trie/generations.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { closeTogether } from "./fixture.ts";

test("a trie database that takes long to open keeps nobody waiting who only reads", async () => {
  const chain = createMemoryStore();
  const stores = memoryTries();
  const gate = Promise.withResolvers<undefined>();
  const slow = { ...stores, open: (generation: number) => gate.promise.then(() => stores.open(generation)) };
  const state = await openState({ chain, trie: slow, patienceMs: 1 });
  await using node = closeTogether(chain, state);
  expect(node.state.number).toBe(-1);
  expect(() => node.state.begin()).toThrow(expect.objectContaining({ code: "not-ready" }));
  gate.resolve(undefined);
  await node.state.ready;
  expect(node.state.begin().exists(new Uint8Array(20))).toBe(false);
});

test("a state closed while its trie database is being opened closes that too", async () => {
  const chain = createMemoryStore();
  const stores = memoryTries();
  const gate = Promise.withResolvers<undefined>();
  let closed = 0;
  const slow = {
    ...stores,
    open: async (generation: number) => {
      await gate.promise;
      const store = await stores.open(generation);
      const dispose = store[Symbol.asyncDispose].bind(store);
      return Object.assign(store, {
        [Symbol.asyncDispose]: () => {
          closed++;
          return dispose();
        },
      });
    },
  };
  const state = await openState({ chain, trie: slow, patienceMs: 1 });
  state.ready.catch(() => undefined);
  const closing = state[Symbol.asyncDispose]();
  gate.resolve(undefined);
  await closing;
  expect(closed).toBe(1);
});
