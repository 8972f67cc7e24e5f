/** Tests of the deletion of the storage of destroyed accounts. */
import { expect, test } from "@jest/globals";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { nodesOf, slotsOf } from "../../../node/state/flat/storage-rows.ts";
import { sweepDestroyed } from "../../../node/state/history/sweep.ts";
import { openState } from "../../../node/state/open-state.ts";
import type { World } from "../../../node/state/world/world.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Store } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import { anAddress, aWord, failingAfter, keptTries, makeBlock, type Opened, rowsIn } from "./fixture.ts";

const [alice, bob] = [anAddress(1), anAddress(2)];
const SLOTS = 1200;
const ALICE_FIRST = [keccak256(alice), 1] as const;

interface Swept {
  readonly node: Opened;
  readonly chain: Store;
  rows(): Promise<{ readonly slots: number; readonly nodes: number; readonly named: number }>;
  reopen(): Promise<Swept>;
}

async function open(
  settings: { archive?: boolean; retention?: number; flushInterval?: number },
  chain = createMemoryStore(),
  trie = keptTries(),
): Promise<Swept> {
  const state = await openState({ chain, trie, retention: 2, flushInterval: 2, gatherBytes: 1, ...settings });
  const node = { chain, state, [Symbol.asyncDispose]: () => state[Symbol.asyncDispose]() };
  return {
    node,
    chain,
    rows: async () => ({
      slots: await rowsIn(chain, slotsOf(...ALICE_FIRST)),
      nodes: await rowsIn(await trie.open(0), nodesOf(...ALICE_FIRST)),
      named: await rowsIn(chain, tables.destroyed.range()),
    }),
    reopen: () => open(settings, chain, trie),
  };
}

function fill(world: World, value: number): void {
  world.setNonce(alice, 1n);
  for (let i = 0; i < SLOTS; i++) world.setSlot(alice, BigInt(i), BigInt(value));
}

const destroy = (world: World): void => world.destroy(alice);
const pay = (world: World): void => world.addBalance(bob, 1n);

test("the storage of a destroyed account goes when no state needs it and the trie has passed it", async () => {
  const { node, rows } = await open({ retention: 4, flushInterval: 3 });
  await using _ = node;
  await makeBlock(node, (world) => fill(world, 7));
  await node.state.flush();
  expect(await rows()).toMatchObject({ slots: SLOTS, named: 0 });
  await makeBlock(node, destroy);
  for (let n = 2; n <= 4; n++) {
    await makeBlock(node, pay);
    await node.state.verify();
    expect(node.state.view(0).slot(alice, aWord(1, 1))).toEqual(aWord(7));
    expect(await rows()).toMatchObject({ slots: SLOTS, named: 1 });
  }
  await makeBlock(node, pay);
  expect(await node.state.verify()).toMatchObject({ slots: 0, strayNodes: 0, straySlots: 0 });
  expect(await rows()).toEqual({ slots: 0, nodes: 0, named: 0 });
});

test("an account made anew has storage of its own, of which the sweep leaves everything", async () => {
  const { node, rows } = await open({});
  await using _ = node;
  await makeBlock(node, (world) => fill(world, 7));
  await makeBlock(node, (world) => {
    destroy(world);
    world.endTransaction();
    world.setNonce(alice, 1n);
    world.setSlot(alice, 3n, 9n);
  });
  for (let n = 0; n < 6; n++) await makeBlock(node, pay);
  expect(await node.state.verify()).toMatchObject({ slots: 1, strayNodes: 0, straySlots: 0 });
  expect(await rows()).toEqual({ slots: 0, nodes: 0, named: 0 });
  const view = node.state.view(node.state.number);
  expect([view.slot(alice, aWord(0, 3)), view.slot(alice, aWord(0, 4))]).toEqual([aWord(9), aWord()]);
});

test("a sweep that is interrupted goes on after the next start", async () => {
  const first = await open({ flushInterval: 1 });
  await makeBlock(first.node, (world) => fill(world, 7));
  await makeBlock(first.node, destroy);
  await makeBlock(first.node, pay);
  await makeBlock(first.node, pay); // begins to sweep at its flush
  await first.node.state[Symbol.asyncDispose]();
  expect(await first.rows()).toMatchObject({ named: 1 });
  const again = await first.reopen();
  await using _ = again.node;
  await again.node.state.ready;
  expect(await again.node.state.verify()).toMatchObject({ slots: 0, strayNodes: 0, straySlots: 0 });
  expect(await again.rows()).toEqual({ slots: 0, nodes: 0, named: 0 });
});

test("a sweep that is cut off at any of its writes is finished by the next", async () => {
  let writes = 0;
  for (let isCutOff = true; isCutOff; writes++) {
    const trie = keptTries();
    const { node, chain } = await open({ archive: true }, createMemoryStore(), trie);
    await makeBlock(node, (world) => fill(world, 7));
    await node.state.flush();
    await makeBlock(node, destroy);
    await makeBlock(node, (world) => fill(world, 9));
    await node.state[Symbol.asyncDispose]();
    const left = { writes };
    const stores = { chain: failingAfter(chain, left), trie: failingAfter(await trie.open(0), left) };
    isCutOff = await sweepDestroyed({ ...stores, signal: new AbortController().signal }, 1).then(
      () => false,
      () => true,
    );
    const again = await open({ archive: false, retention: 1, flushInterval: 1 }, chain, trie);
    for (let n = 0; n < 2; n++) await makeBlock(again.node, pay);
    expect(await again.node.state.verify()).toMatchObject({ slots: SLOTS, strayNodes: 0, straySlots: 0 });
    expect(await again.rows()).toEqual({ slots: 0, nodes: 0, named: 0 });
    await again.node.state[Symbol.asyncDispose]();
  }
  expect(writes).toBeGreaterThan(6);
});

test("an archive keeps the storage of destroyed accounts, and reads it", async () => {
  const { node, rows } = await open({ archive: true });
  await using _ = node;
  await makeBlock(node, (world) => fill(world, 7));
  await makeBlock(node, destroy);
  for (let n = 0; n < 9; n++) await makeBlock(node, pay);
  expect(await node.state.verify()).toMatchObject({ slots: 0, strayNodes: 0, straySlots: 0 });
  expect(await rows()).toMatchObject({ slots: SLOTS, named: 1 });
  expect(node.state.view(0).slot(alice, aWord(1, 1))).toEqual(aWord(7));
  expect(node.state.view(1).slot(alice, aWord(1, 1))).toEqual(aWord());
});

test("a rejected destruction leaves the storage as it was", async () => {
  const { node } = await open({});
  await using _ = node;
  await makeBlock(node, (world) => fill(world, 7));
  const world = node.state.begin();
  destroy(world);
  node.state.seal(world).discard();
  await makeBlock(node, (next) => next.setSlot(alice, 0x101n, 8n));
  for (let n = 0; n < 6; n++) await makeBlock(node, pay);
  expect(await node.state.verify()).toMatchObject({ slots: SLOTS, strayNodes: 0, straySlots: 0 });
});
