/** The state taken back to earlier blocks, and what a crash leaves on the way. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { openState, type StateOptions } from "../../../node/state/open-state.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Store } from "../../../node/store/store.ts";
import { keptTries, makeBlock, type Opened } from "./fixture.ts";
import { aRandom } from "./random.ts";
import { contentOf } from "./random-block.ts";
import { contractsOf, randomBlock } from "./random-contracts.ts";

const ROUNDS = Number(process.env["KNIT_WORLD_ROUNDS"] ?? 1);

/** Databases that outlive the state over them, and what blocks left. */
function aDatabase(settings: Omit<StateOptions, "chain" | "trie">) {
  const chain = createMemoryStore();
  const trie = keptTries();
  const roots = new Map<number, Uint8Array>();
  const held = new Map<number, unknown>();
  return {
    chain,
    roots,
    held,
    open: async (): Promise<Opened> => {
      const state = await openState({ chain, trie, gatherBytes: 1, ...settings });
      await state.ready;
      return { chain, state, [Symbol.asyncDispose]: () => state[Symbol.asyncDispose]() };
    },
    grow: async (node: Opened, upTo: number): Promise<void> => {
      while (node.state.number < upTo) {
        const number = node.state.number + 1;
        roots.set(number, await makeBlock(node, randomBlock(number)));
        held.set(number, everythingAt(node, number));
      }
    },
  };
}

function everythingAt(node: Opened, number: number): unknown {
  return [contentOf(node, number), contractsOf(node.state.view(number))];
}

async function rewind({ chain, state }: Opened, number: number, root: Uint8Array | undefined): Promise<void> {
  const batch = chain.createBatch();
  await state.rewind({ number, root: root ?? new Uint8Array(32) }, batch, () =>
    chain.write(batch, { sync: true }),
  );
}

test.each([
  ["recent states", {}],
  ["a trie that is written with every block", { flushInterval: 1 }],
  ["a short history", { retention: 8, flushInterval: 3 }],
  ["an archive with few blocks in memory", { archive: true, window: 12, flushInterval: 5 }],
])("goes back with %s, is whole there and goes the same way again", async (_what, settings) => {
  const { open, grow, roots, held } = aDatabase(settings);
  const random = aRandom(11);
  await using node = await open();
  for (let round = 0; round < ROUNDS; round++) {
    await grow(node, 30 + round * 5);
    const before = new Map(roots);
    const { oldestRewind } = node.state.figures();
    const head = node.state.number;
    const target = oldestRewind + random.below(head - oldestRewind);
    await rewind(node, target, roots.get(target));
    expect(node.state.number).toBe(target);
    expect(toHex(node.state.root)).toBe(toHex(roots.get(target) ?? new Uint8Array(0)));
    const oldest = "archive" in settings ? 0 : oldestRewind;
    for (let number = oldest; number <= target; number++) {
      expect(everythingAt(node, number)).toEqual(held.get(number));
    }
    expect(() => node.state.view(target + 1)).toThrow(expect.objectContaining({ code: "state-missing" }));
    await node.state.verify();
    await grow(node, head);
    expect(roots).toEqual(before);
  }
  await node.state.verify();
});

test("a block that is too old or not there yet is refused with nothing changed", async () => {
  const { open, grow, roots } = aDatabase({ retention: 5 });
  await using node = await open();
  await grow(node, 20);
  const missing = expect.objectContaining({ code: "state-missing" });
  await expect(rewind(node, 14, roots.get(14))).rejects.toThrow(missing);
  await expect(rewind(node, 21, undefined)).rejects.toThrow(missing);
  await grow(node, 22);
  await node.state.verify();
});

/** A store that from some write on takes none: as if the process had died there. */
function dying(chain: Store): Store {
  const dead = Object.create(chain) as Store;
  return Object.assign(dead, {
    get: chain.get.bind(chain),
    createBatch: chain.createBatch.bind(chain),
    entries: chain.entries.bind(chain),
    write: () => new Promise<void>(() => undefined),
  });
}

test.each([1, 16])(
  "a crash before the rows are written leaves the newer block (flush every %d)",
  async (flushInterval) => {
    const { open, grow, roots, held, chain } = aDatabase({ flushInterval });
    const node = await open();
    await grow(node, 25);
    let reached: (() => void) | undefined;
    const atTheWrite = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const batch = chain.createBatch();
    void node.state.rewind({ number: 12, root: roots.get(12) ?? new Uint8Array(0) }, batch, () => {
      reached?.();
      return dying(chain).write(batch, { sync: true });
    });
    await atTheWrite;
    await using again = await open();
    expect(again.state.number).toBe(25);
    expect(everythingAt(again, 20)).toEqual(held.get(20));
    await again.state.verify();
    await grow(again, 27);
  },
);

test("a crash behind the write leaves the earlier block, with or without its trie", async () => {
  const { open, grow, roots, held } = aDatabase({ flushInterval: 4 });
  const node = await open();
  await grow(node, 25);
  await rewind(node, 13, roots.get(13));
  await using again = await open(); // the first is abandoned as it is
  expect(again.state.number).toBe(13);
  expect(everythingAt(again, 13)).toEqual(held.get(13));
  await again.state.verify();
});
