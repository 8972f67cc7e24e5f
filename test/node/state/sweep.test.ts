/** Tests of the deletion of the storage of destroyed accounts. */
import { expect, test } from "@jest/globals";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { nodesOf, slotsOf } from "../../../node/state/flat/storage-rows.ts";
import { lastBlockOf, pageStart } from "../../../node/state/history/change-page.ts";
import { readHistoryMode } from "../../../node/state/history/history.ts";
import { sweepDestroyed } from "../../../node/state/history/sweep.ts";
import { openState } from "../../../node/state/open-state.ts";
import type { World } from "../../../node/state/world/world.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Store } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import {
  anAddress,
  aWord,
  bound,
  failingAfter,
  keptTries,
  makeBlock,
  type Opened,
  rowsIn,
} from "./fixture.ts";

const [alice, bob] = [anAddress(1), anAddress(2)];
const SLOTS = 1200;
const ALICE_FIRST = [keccak256(alice), 1] as const;

interface Swept {
  readonly node: Opened;
  readonly chain: Store;
  rows(): Promise<{ readonly slots: number; readonly nodes: number; readonly named: number }>;
  reopen(more?: Settings): Promise<Swept>;
}

interface Settings {
  readonly archive?: boolean;
  readonly retention?: number;
  readonly window?: number;
  readonly flushInterval?: number;
}

async function open(settings: Settings, chain = createMemoryStore(), trie = keptTries()): Promise<Swept> {
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
    reopen: (more) => open({ ...settings, ...more }, chain, trie),
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

/** A retention with an index on disk: block 2 destroys an account, whose storage is swept at block 42. */
const INDEXED = { window: 4, retention: 40, flushInterval: 1 };
const SWEPT_AT = 44;

async function sweptNode(): Promise<Swept & { readonly roots: readonly Uint8Array[] }> {
  const swept = await open(INDEXED);
  const roots: Uint8Array[] = [];
  const grow = async (change: (world: World) => void): Promise<void> => {
    roots.push(await makeBlock(swept.node, change));
  };
  await grow((world) => fill(world, 7));
  await grow(pay);
  await grow(destroy);
  while (swept.node.state.number < SWEPT_AT) await grow(pay);
  await swept.node.state.verify();
  expect((await swept.rows()).slots).toBe(0);
  return { ...swept, roots };
}

function expectNoSweptState({ state }: Opened): void {
  for (const number of [0, 1])
    expect(() => state.view(number)).toThrow(expect.objectContaining({ code: "state-missing" }));
}

test.each<Settings>([{ retention: 400 }, { archive: true }])(
  "a state whose storage was swept cannot be read under %j later",
  async (more) => {
    const { node, reopen } = await sweptNode();
    await node.state[Symbol.asyncDispose]();
    const again = await reopen(more);
    await using _ = again.node;
    await again.node.state.ready;
    expectNoSweptState(again.node);
    expect(again.node.state.view(SWEPT_AT - 40).slot(alice, aWord(1, 1))).toEqual(aWord());
  },
);

test("a state whose storage was swept cannot be read after a rewind", async () => {
  const { node, chain, roots } = await sweptNode();
  await using _ = node;
  const number = SWEPT_AT - 3;
  const batch = chain.createBatch();
  const target = { number, root: roots[number] ?? new Uint8Array(32) };
  await node.state.rewind(target, batch, () => chain.write(batch, { sync: true }));
  expectNoSweptState(node);
});

test("the oldest state is named on disk before storage is swept", async () => {
  const store = createMemoryStore();
  const slot = tables.slot.key(...ALICE_FIRST, keccak256(aWord(1)));
  const oldest: number[] = [];
  const write: Store["write"] = (batch, options) => {
    if (batch.find(slot).found) oldest.push(readHistoryMode(store)?.from ?? 0);
    return store.write(batch, options);
  };
  const { node } = await open(INDEXED, Object.assign(Object.create(store), { ...bound(store), write }));
  await using _ = node;
  await makeBlock(node, (world) => fill(world, 7));
  await makeBlock(node, destroy);
  while (node.state.number < SWEPT_AT) await makeBlock(node, pay);
  await node.state.verify();
  expect(oldest).toEqual([0, expect.any(Number)]); // filled, and swept
  expect(oldest[1]).toBeGreaterThanOrEqual(1);
});

test("the index of changes is swept by the quarter of the retention, also where storage is swept meanwhile", async () => {
  const { node, chain } = await open(INDEXED);
  await using _ = node;
  await makeBlock(node, pay);
  const created = (world: World): void => {
    world.setNonce(alice, 1n);
    world.setSlot(alice, 1n, 1n);
    pay(world);
  };
  while (node.state.number < 140) await makeBlock(node, node.state.number % 2 === 0 ? created : destroy);
  await node.state.verify();
  let oldest = Number.POSITIVE_INFINITY;
  for await (const [key, value] of chain.entries(tables.change.range()))
    oldest = Math.min(oldest, lastBlockOf(value, pageStart(key, value)));
  expect(oldest).toBeGreaterThan(140 - 40 - 40 / 4 - 2);
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
