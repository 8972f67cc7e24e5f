/** The state moves to a copy of its tries while blocks go on (docs/architecture.md, "A state migration"). */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import type { CopyCounts } from "../../../node/state/migration/copy-tries.ts";
import { runHere, runInThread, type StartRun } from "../../../node/state/migration/migration-run.ts";
import { openState, type StateOptions } from "../../../node/state/open-state.ts";
import { readMarker } from "../../../node/state/rows.ts";
import type { State } from "../../../node/state/state.ts";
import {
  memoryTries,
  openTrieReader,
  TRIE_STORE,
  trieDirectories,
} from "../../../node/state/trie/generations.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Store } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import {
  aTemporaryDirectory,
  bound,
  closeTogether,
  failingAfter,
  keptTries,
  makeBlock,
  type Opened,
  openInMemory,
  openOnDisk,
  trieRowsOf,
} from "./fixture.ts";
import { contentOf } from "./random-block.ts";
import { contractsOf, randomBlock } from "./random-contracts.ts";

const ASKED = { isMigration: true, block: 0, counts: { read: 0, committed: 0, pending: 0 }, progress: 0 };

async function grow(node: Opened, upTo: number): Promise<void> {
  while (node.state.number < upTo) await makeBlock(node, randomBlock(node.state.number + 1));
}

/** Makes blocks until no migration runs, but no more than keep the state at its beginning within the history. */
async function finish(node: Opened): Promise<void> {
  await grow(node, node.state.number + 1);
  const last = node.state.number + 100;
  while (node.state.migration.status.isMigration) {
    if (node.state.number < last || node.state.migration.isDue) await grow(node, node.state.number + 1);
    await setImmediate();
  }
}

async function expectWhole(node: Opened): Promise<void> {
  await using twin = await openInMemory();
  await grow(twin, node.state.number);
  const { number } = node.state;
  expect(toHex(node.state.root)).toBe(toHex(twin.state.root));
  expect(contentOf(node, number)).toEqual(contentOf(twin, number));
  expect(contractsOf(node.state.view(number))).toEqual(contractsOf(twin.state.view(number)));
  expect(await node.state.verify()).toMatchObject({ strayNodes: 0, straySlots: 0 });
}

test.each<[string, (directory: string) => Partial<StateOptions>]>([
  ["in this thread", () => ({})],
  [
    "in a thread of its own",
    (directory) => ({ startRun: runInThread(join(directory, "chain"), join(directory, "trie")) }),
  ],
])(
  "everything is there afterwards but earlier states, copied %s",
  async (_where, settings) => {
    using place = aTemporaryDirectory();
    const open = (): Promise<Opened> => openOnDisk(place.path, { flushInterval: 4, ...settings(place.path) });
    {
      await using node = await open();
      await grow(node, 30);
      expect(await node.state.migration.start()).toBe("asked");
      expect(await node.state.migration.start()).toBe("running");
      expect(node.state.migration.status).toEqual({ ...ASKED, error: undefined });
      await finish(node);
      const { counts, ...status } = node.state.migration.status;
      expect(status).toEqual({ isMigration: false, block: 31, progress: 100, error: undefined });
      expect(counts.committed).toBeGreaterThan(100);
      expect(counts.read).toBeGreaterThanOrEqual(counts.committed);
      expect(node.state.number).toBeGreaterThan(31);
      expect(readdirSync(join(place.path, "trie"))).toEqual(["1"]);
      expect(() => node.state.view(30)).toThrow(expect.objectContaining({ code: "state-missing" }));
      await using twin = await openInMemory();
      await grow(twin, 31);
      expect(contentOf(node, 31)).toEqual(contentOf(twin, 31));
      await expectWhole(node);
    }
    await using again = await open();
    await again.state.ready;
    expect(again.state.migration.status).toMatchObject({ isMigration: false, block: 0 });
    expect(again.state.migration.last).toEqual({ block: 31, error: undefined });
    expect(() => again.state.view(30)).toThrow(expect.objectContaining({ code: "state-missing" }));
    expect(await again.state.migration.start()).toBe("asked");
    await finish(again);
    expect(readdirSync(join(place.path, "trie"))).toEqual(["2"]);
    await expectWhole(again);
  },
  60_000,
);

test("blocks wait for no copying, which is told to make way while they are sealed and written", async () => {
  using place = aTemporaryDirectory();
  const reported: boolean[] = [];
  const ended = Promise.withResolvers<void>();
  const startRun: StartRun = () => ({
    done: ended.promise, // as long as nobody stops it
    setYielding: (isBlock) => void reported.push(isBlock),
    stop: async () => ended.resolve(),
  });
  await using node = await openOnDisk(place.path, { startRun });
  await grow(node, 3);
  await node.state.migration.start();
  await grow(node, 4);
  expect([node.state.migration.status.block, reported]).toEqual([4, []]);
  await grow(node, 5);
  expect(reported).toEqual([true, false, true, false]); // sealed, and brought to disk
  expect(await node.state.migration.stop()).toBe(true);
  await grow(node, 6);
  expect(reported).toHaveLength(4);
});

test("the former tries stay open and on disk until their readers in other threads have ended", async () => {
  using place = aTemporaryDirectory();
  const tries = join(place.path, "trie");
  await using node = await openOnDisk(place.path, { flushInterval: 4 });
  await grow(node, 10);
  const reader = await openTrieReader(tries, 0);
  const atEnd: unknown[] = [];
  node.state.beforeTrieCloses(async () => {
    await setImmediate();
    {
      using rows = reader.snapshot();
      atEnd.push(readMarker(rows)?.number, readdirSync(tries).includes("0"));
    }
    await reader[Symbol.asyncDispose]();
  });
  await node.state.migration.start();
  await finish(node);
  expect(atEnd).toEqual([expect.any(Number), true]);
  expect(readdirSync(tries)).toEqual(["1"]);
});

test("one that is stopped leaves the state as it was, and another may follow", async () => {
  using place = aTemporaryDirectory();
  await using node = await openOnDisk(place.path, { flushInterval: 4 });
  await grow(node, 10);
  expect(await node.state.migration.stop()).toBe(false);
  await node.state.migration.start();
  expect(await node.state.migration.stop()).toBe(true);
  await grow(node, 11);
  await node.state.migration.start();
  await grow(node, 12);
  expect(node.state.migration.status).toMatchObject({ isMigration: true, block: 12 });
  expect(await node.state.migration.stop()).toBe(true);
  expect(node.state.migration.status).toMatchObject({ isMigration: false, error: "stop state migration" });
  expect(readdirSync(join(place.path, "trie"))).toEqual(["0"]);
  expect(node.state.view(9).number).toBe(9);
  await grow(node, 15);
  expect(await node.state.migration.start()).toBe("asked");
  await finish(node);
  expect(node.state.migration.status).toMatchObject({ isMigration: false, error: undefined });
  await expectWhole(node);
});

test("one that the end of the process breaks off begins anew", async () => {
  using place = aTemporaryDirectory();
  {
    await using node = await openOnDisk(place.path);
    await grow(node, 10);
    await node.state.migration.start();
    await grow(node, 11);
    expect(node.state.migration.status.isMigration).toBe(true);
  }
  await using node = await openOnDisk(place.path);
  expect(await node.state.migration.start()).toBe("running");
  await finish(node);
  expect(node.state.migration.status).toMatchObject({ isMigration: false, block: 12, error: undefined });
  expect(readdirSync(join(place.path, "trie"))).toEqual(["1"]);
  await expectWhole(node);
});

test("one that was asked for outlives the process at once, and is asked for no more when it was stopped", async () => {
  const [store, trie] = [createMemoryStore(), keptTries()];
  const synced: boolean[] = [];
  const write: Store["write"] = (batch, options) => {
    synced.push(options.sync);
    return store.write(batch, options);
  };
  const chain = { ...bound(store), write, [Symbol.asyncDispose]: () => Promise.resolve() };
  const open = (): Promise<State> => openState({ chain, trie, gatherBytes: 1 });
  const first = await open(); // never closed, as when its process is killed
  await makeBlock({ chain, state: first }, randomBlock(0));
  synced.length = 0;
  expect(await first.migration.start()).toBe("asked");
  expect(synced).toEqual([true]);
  const second = await open();
  expect(second.migration.status).toEqual({ ...ASKED, error: undefined });
  expect(await second.migration.start()).toBe("running");
  await second.migration.stop();
  const third = await open();
  expect(third.migration.status.isMigration).toBe(false);
  expect(third.migration.last).toBeUndefined();
});

test("one that cannot be written down is not asked for", async () => {
  const chain = failingAfter(createMemoryStore(), { writes: 1 });
  const state = await openState({ chain, trie: memoryTries() });
  await makeBlock({ chain, state }, randomBlock(0));
  await expect(state.migration.start()).rejects.toThrow("power is gone");
  expect(state.migration.status).toMatchObject({ isMigration: false, error: "power is gone" });
});

test("without room on disk it does not begin, and blocks go on", async () => {
  using place = aTemporaryDirectory();
  const trie = {
    ...trieDirectories(join(place.path, "trie")),
    space: async () => ({ used: 1_000_000, free: 2_000_000 }),
  };
  const error = "2000000 bytes of disk are free, 135217728 are needed";
  {
    await using node = await openOnDisk(place.path, { trie });
    await grow(node, 3);
    expect(await node.state.migration.room()).toEqual({ free: 2_000_000, needed: 135_217_728 });
    expect(node.state.migration.last).toBeUndefined();
    await node.state.migration.start();
    await grow(node, 6);
    expect(node.state.migration.status).toMatchObject({ isMigration: false, error });
    await expectWhole(node);
  }
  await using again = await openOnDisk(place.path, { trie });
  expect(again.state.migration.last).toEqual({ block: 4, error });
});

test("live pruning excludes it on any database, also one that a restart broke off, until it is off again", async () => {
  using place = aTemporaryDirectory();
  {
    await using node = await openOnDisk(place.path, {});
    await grow(node, 3);
    await node.state.migration.start();
    await grow(node, 4);
    expect(node.state.migration.status).toMatchObject({ isMigration: true, block: 4 });
  }
  {
    await using node = await openOnDisk(place.path, { livePruning: true, retention: 1000 });
    expect(node.state.migration.status.isMigration).toBe(false);
    expect(await node.state.migration.start()).toBe("pruning");
    await grow(node, 6);
    await expectWhole(node);
  }
  await using node = await openOnDisk(place.path, {});
  expect(node.state.migration.status.isMigration).toBe(true);
  await grow(node, 7);
  await finish(node);
  await expectWhole(node);
});

test.each([{ archive: true }, { retention: 1000 }])(
  "a database with %j lets go of what was before",
  async (kept) => {
    using place = aTemporaryDirectory();
    await using node = await openOnDisk(place.path, kept);
    await grow(node, 10);
    await node.state.migration.start();
    await finish(node);
    expect(() => node.state.view(10)).toThrow(expect.objectContaining({ code: "state-missing" }));
    expect(node.state.view(11).number).toBe(11);
    await expectWhole(node);
  },
);

test("a node that is missing ends it with its path, and the state stays", async () => {
  using place = aTemporaryDirectory();
  {
    await using node = await openOnDisk(place.path, { flushInterval: 1 });
    await grow(node, 10);
  }
  {
    await using trie = await openLevelStore(join(place.path, "trie", "0"), TRIE_STORE);
    const rows = await trieRowsOf(trie);
    const batch = trie.createBatch();
    for (const [key] of rows.filter(([each]) => each.length > 2).slice(-3)) batch.delete(key);
    await trie.write(batch, { sync: true });
  }
  await using node = await openOnDisk(place.path, { flushInterval: 1 });
  await node.state.migration.start();
  await makeBlock(node, () => undefined);
  while (node.state.migration.status.isMigration) await setImmediate();
  expect(node.state.migration.status.error).toMatch(/is missing$/);
  expect(readdirSync(join(place.path, "trie"))).toEqual(["0"]);
});

const NAMED = tables.meta.key("trie");
const REQUEST = tables.meta.key("migration");

/** A node in memory that calls `onNaming` when a batch that names the new generation comes to be written. */
async function namingNode(
  onNaming: (state: State) => void,
  settings: Partial<StateOptions> = {},
): Promise<Opened> {
  const store = createMemoryStore();
  const chain: Store = {
    ...bound(store),
    write: (batch, options) => {
      if (batch.find(NAMED).found) onNaming(node.state);
      return store.write(batch, options);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const node = closeTogether(
    chain,
    await openState({ chain, trie: keptTries(), flushInterval: 1, ...settings }),
  );
  return node;
}

test("a stop while the state moves waits for it and answers that none ran, and blocks go on", async () => {
  const stops: Promise<boolean>[] = [];
  await using node = await namingNode((state) => stops.push(state.migration.stop()));
  await grow(node, 5);
  await node.state.migration.start();
  await finish(node);
  expect(await Promise.all(stops)).toEqual([false]);
  expect(node.state.migration.status).toMatchObject({ isMigration: false, progress: 100, error: undefined });
  await grow(node, node.state.number + 5);
  await expectWhole(node);
});

test("a stop while the state cannot move answers that it has ended, and another may follow", async () => {
  const stops: Promise<boolean>[] = [];
  await using node = await namingNode(({ migration }) => {
    if (stops.length > 0) return;
    stops.push(migration.stop());
    throw new Error("no batch today");
  });
  await grow(node, 5);
  await node.state.migration.start();
  await finish(node);
  expect(await Promise.all(stops)).toEqual([true]);
  expect(node.state.migration.status).toMatchObject({ isMigration: false, error: "no batch today" });
  expect(await node.state.migration.start()).toBe("asked");
  await finish(node);
  expect(node.state.migration.status).toMatchObject({ isMigration: false, error: undefined });
  await expectWhole(node);
});

/** Lets half a minute pass between any two looks at the time. */
function passingTime(): Disposable {
  const { now } = performance;
  let ms = now.call(performance);
  performance.now = () => (ms += 30_000);
  return { [Symbol.dispose]: () => void (performance.now = now) };
}

test("a disk that is found full while the state moves ends nothing", async () => {
  const [low, looked] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  const tries = keptTries();
  let isCopying = false;
  const trie = {
    ...tries,
    space: async () => {
      const free = isCopying ? low.promise : Number.POSITIVE_INFINITY;
      if (isCopying) looked.resolve();
      return { used: 0, free: await free };
    },
  };
  const reports: { report: (counts: CopyCounts) => void }[] = [];
  const chain = createMemoryStore();
  const run = runHere(chain, trie);
  const startRun: StartRun = (generation, parts) => {
    reports.push(parts);
    return run(generation, parts);
  };
  using _ = passingTime(); // the last report was long ago
  const state = await openState({ chain, trie, startRun, flushInterval: 1 });
  await using node = closeTogether(chain, state);
  await grow(node, 5);
  await node.state.migration.start();
  await grow(node, 6);
  isCopying = true;
  reports[0]?.report({ part: 0.5, read: 1, committed: 1, pending: 1 });
  await looked.promise;
  while (!node.state.migration.isDue) await setImmediate();
  const moving = grow(node, 7);
  low.resolve(0);
  await moving;
  while (node.state.migration.status.isMigration) await setImmediate();
  expect(node.state.migration.status.error).toBeUndefined();
  await expectWhole(node);
});

test("one that is stopped while the room is looked up leaves no request behind", async () => {
  const tries = keptTries();
  const stops: Promise<boolean>[] = [];
  const trie = {
    ...tries,
    space: async (generation: number) => {
      stops.push(node.state.migration.stop());
      await stops[0]; // its request is off the disk
      return tries.space(generation);
    },
  };
  const chain = createMemoryStore();
  const node = closeTogether(chain, await openState({ chain, trie, flushInterval: 1 }));
  await using _ = node;
  await grow(node, 5);
  await node.state.migration.start();
  expect(chain.get(REQUEST)).toBeDefined();
  await grow(node, 7);
  expect(await Promise.all(stops)).toEqual([true]);
  expect(node.state.migration.status).toMatchObject({ isMigration: false, error: "stop state migration" });
  expect(chain.get(REQUEST)).toBeUndefined();
});
