/** Tests of the archive: states of all blocks, restarts, damage. */
import { expect, test } from "@jest/globals";
import { destroyedUpTo } from "../../../node/state/flat/storage-rows.ts";
import { openState, type StateOptions } from "../../../node/state/open-state.ts";
import type { World } from "../../../node/state/world/world.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { tables } from "../../../node/store/tables.ts";
import {
  anAddress,
  closeTogether,
  failingAfter,
  keptTries,
  makeBlock,
  type Opened,
  rowsIn,
} from "./fixture.ts";
import { aRandom } from "./random.ts";
import { contractsOf, randomContracts } from "./random-contracts.ts";

const ROUNDS = Number(process.env["KNIT_WORLD_ROUNDS"] ?? 1);
const missing = expect.objectContaining({ code: "state-missing" });

type Settings = Omit<StateOptions, "chain" | "trie">;

/** A database that can be closed and opened again with other settings, and what its blocks held. */
function aDatabase(): {
  readonly held: Map<number, unknown[]>;
  open(settings: Settings): Promise<Opened>;
  grow(node: Opened, blocks: number): Promise<void>;
} {
  const chain = createMemoryStore();
  const trie = keptTries();
  const held = new Map<number, unknown[]>();
  const random = aRandom(4);
  return {
    held,
    open: async (settings) => {
      const state = await openState({ chain, trie, gatherBytes: 1, ...settings });
      await state.ready;
      return { chain, state, [Symbol.asyncDispose]: () => state[Symbol.asyncDispose]() };
    },
    grow: async (node, blocks) => {
      for (let n = 0; n < blocks; n++) {
        await makeBlock(node, randomContracts(random));
        held.set(node.state.number, contractsOf(node.state.view(node.state.number)));
      }
    },
  };
}

function expectReadable({ state }: Opened, held: ReadonlyMap<number, unknown[]>, oldest: number): void {
  for (let number = oldest; number <= state.number; number++) {
    expect(contractsOf(state.view(number))).toEqual(held.get(number));
  }
  expect(() => state.view(oldest - 1)).toThrow(missing);
}

test("an archive answers for every block, over restarts, far beyond the blocks indexed in memory", async () => {
  const { held, open, grow } = aDatabase();
  for (let round = 0; round < ROUNDS; round++) {
    // the second time on the database knows what it is
    await using node = await open({ window: 3, flushInterval: 4, ...(round === 0 ? { archive: true } : {}) });
    await grow(node, 40);
    expectReadable(node, held, 0);
    expect(await node.state.verify()).toMatchObject({ strayNodes: 0, straySlots: 0 });
  }
});

test("a retention beyond the blocks indexed in memory is kept, and what is older goes from the disk", async () => {
  const { held, open, grow } = aDatabase();
  const settings = { window: 2, retention: 20, flushInterval: 3 };
  const rows: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using node = await open(settings);
    await grow(node, 50);
    expectReadable(node, held, node.state.number - 20);
    expect(await node.state.verify()).toMatchObject({ strayNodes: 0, straySlots: 0 });
    rows.push(await rowsIn(node.chain, tables.change.range()));
  }
  expect(rows.at(-1)).toBeLessThan(2 * (rows[0] ?? 0));
});

test("a database that becomes an archive keeps all states from then on", async () => {
  const { held, open, grow } = aDatabase();
  {
    await using node = await open({ retention: 4, flushInterval: 3 });
    await grow(node, 20);
    expectReadable(node, held, 15);
  }
  await using node = await open({ retention: 4, flushInterval: 3, archive: true });
  expectReadable(node, held, 15);
  await grow(node, 30);
  expectReadable(node, held, 19);
});

test("an archive that is made full lets its past go, and can become one again", async () => {
  const { held, open, grow } = aDatabase();
  {
    await using node = await open({ window: 2, archive: true });
    await grow(node, 30);
  }
  {
    await using node = await open({ window: 2, retention: 2, archive: false });
    expectReadable(node, held, 27);
    expect(await node.state.verify()).toMatchObject({ changes: 0, straySlots: 0, strayNodes: 0 });
    expect(await rowsIn(node.chain, tables.change.range())).toBe(0);
    await grow(node, 10);
    await node.state.verify();
    expect(await rowsIn(node.chain, destroyedUpTo(29))).toBe(0);
  }
  await using node = await open({ window: 2, retention: 2, archive: true });
  await grow(node, 10);
  expectReadable(node, held, 39);
  await node.state.verify();
});

const pay = (world: World): void => world.addBalance(anAddress(1), 1n);

test("an archive trusts nothing from before its database lost rows", async () => {
  const chain = createMemoryStore();
  const trie = keptTries();
  const sound = await openState({ chain, trie, window: 2, archive: true });
  for (let n = 0; n < 20; n++) await makeBlock({ chain, state: sound }, pay);
  expect(sound.view(3).account(anAddress(1))?.balance).toBe(4n);
  await sound[Symbol.asyncDispose]();
  const damaged = { ...failingAfter(chain, { writes: 1000 }), damage: "a log lost records" };
  const state = await openState({ chain: damaged, trie, window: 2 });
  await state.ready;
  expect(() => state.view(3)).toThrow(missing);
  for (let n = 0; n < 20; n++) await makeBlock({ chain: damaged, state }, pay);
  expect(state.view(19).account(anAddress(1))?.balance).toBe(20n);
  expect(() => state.view(18)).toThrow(missing);
  await state[Symbol.asyncDispose]();
});

test("a row that many blocks changed is found through its pages", async () => {
  const chain = createMemoryStore();
  const trie = keptTries();
  await using node = closeTogether(chain, await openState({ chain, trie, window: 1, archive: true }));
  for (let n = 0; n < 400; n++) await makeBlock(node, (world) => world.addBalance(anAddress(1), BigInt(n)));
  expect(await rowsIn(chain, tables.change.range())).toBeGreaterThan(10);
  for (let n = 0; n < 400; n++) {
    expect(node.state.view(n).account(anAddress(1))?.balance ?? 0n).toBe(BigInt((n * (n + 1)) / 2));
  }
});

test("verify finds a page of an archive that is gone or wrong", async () => {
  const { open, grow } = aDatabase();
  await using node = await open({ window: 8, archive: true });
  await grow(node, 30);
  await node.state.verify();
  const rows: (readonly [Uint8Array, Uint8Array])[] = [];
  for await (const row of node.chain.entries(tables.change.range())) rows.push(row);
  const put = async (key: Uint8Array, value: Uint8Array): Promise<void> => {
    const batch = node.chain.createBatch();
    batch.put(key, value);
    await node.chain.write(batch, { sync: false });
  };
  const recent = rows.filter(([key]) => key.length === 34).slice(0, 5);
  for (const [key, value] of recent) {
    for (const wrong of [value.subarray(0, value.length - 1), Uint8Array.of(0, 0)]) {
      await put(key, wrong);
      await expect(node.state.verify()).rejects.toMatchObject({ code: "corrupt" });
    }
    await put(key, value);
  }
  await node.state.verify();
});
