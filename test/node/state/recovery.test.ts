/** Tests of the recovery of the state after a crash or loss of rows. */
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { openState } from "../../../node/state/open-state.ts";
import { trieDirectories } from "../../../node/state/trie/generations.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { tables, trieTables } from "../../../node/store/tables.ts";
import {
  anAddress,
  aTemporaryDirectory,
  closeTogether,
  keptTries,
  makeBlock,
  type Opened,
  openInMemory,
  openOnDisk,
} from "./fixture.ts";
import { aRandom } from "./random.ts";
import { contentOf } from "./random-block.ts";
import { contractsOf, randomBlock } from "./random-contracts.ts";
import { Twins } from "./twins.ts";

const [alice, bob] = [anAddress(1), anAddress(2)];

/** A copy of a directory that is in use: what a crash would leave. */
function copyDirectory(from: string, to: string): string {
  cpSync(from, to, { recursive: true });
  return to;
}

async function grow(node: Opened, upTo: number): Promise<void> {
  while (node.state.number < upTo) await makeBlock(node, randomBlock(node.state.number + 1));
}

async function expectWhole(directory: string, number: number, generation: number): Promise<void> {
  await using twin = await openInMemory();
  await grow(twin, number);
  {
    await using node = await openOnDisk(directory);
    expect(contentOf(node, number)).toEqual(contentOf(twin, number));
    expect(contractsOf(node.state.view(number))).toEqual(contractsOf(twin.state.view(number)));
    await node.state.ready;
    expect(toHex(node.state.root)).toBe(toHex(twin.state.root));
    expect(await node.state.verify()).toMatchObject({ strayNodes: 0, straySlots: 0 });
  }
  expect(readdirSync(join(directory, "trie"))).toEqual([String(generation)]);
}

test("a trie that lies behind catches up from the undo records, reads being served meanwhile", async () => {
  using place = aTemporaryDirectory();
  await using node = await openOnDisk(join(place.path, "a"), { flushInterval: 1000 });
  await grow(node, 4);
  await node.state.flush();
  await grow(node, 30);
  const copy = copyDirectory(join(place.path, "a"), join(place.path, "b"));
  const tries = trieDirectories(join(copy, "trie"));
  const gate = Promise.withResolvers<void>(); // a catch-up as short as this one may be over at once
  const trie = { ...tries, open: (generation: number) => gate.promise.then(() => tries.open(generation)) };
  await using again = await openOnDisk(copy, { trie, patienceMs: 1 });
  expect(again.state.number).toBe(30);
  expect(() => again.state.begin()).toThrow(expect.objectContaining({ code: "not-ready" }));
  expect(contentOf(again, 30)).toEqual(contentOf(node, 30));
  expect(contentOf(again, 10)).toEqual(contentOf(node, 10));
  expect(contractsOf(again.state.view(10))).toEqual(contractsOf(node.state.view(10)));
  gate.resolve();
  await again.state.ready;
  await grow(node, 31);
  await grow(again, 31);
  expect(toHex(again.state.root)).toBe(toHex(node.state.root));
  expect(await again.state.verify()).toMatchObject({ strayNodes: 0, straySlots: 0 });
  expect(existsSync(join(copy, "trie", "0"))).toBe(true);
});

test("a state that was closed is ready at once", async () => {
  using place = aTemporaryDirectory();
  await grow(await openWithoutLater(place.path, 7), 7).catch(() => undefined);
  await using node = await openOnDisk(place.path);
  node.state.begin();
  expect(node.state.number).toBe(7);
});

async function openWithoutLater(directory: string, upTo: number): Promise<Opened> {
  await using node = await openOnDisk(directory, { flushInterval: 1000 });
  await grow(node, upTo);
  return node;
}

test("a trie that is ahead of the flat state is rebuilt", async () => {
  using place = aTemporaryDirectory();
  const [from, to] = [join(place.path, "a"), join(place.path, "b")];
  await using node = await openOnDisk(from, { flushInterval: 1000 });
  await grow(node, 5);
  copyDirectory(join(from, "chain"), join(to, "chain"));
  await grow(node, 9);
  await node.state.flush();
  copyDirectory(join(from, "trie"), join(to, "trie"));
  await expectWhole(to, 5, 1);
});

test("a trie without a marker is rebuilt", async () => {
  using place = aTemporaryDirectory();
  const [from, to] = [join(place.path, "a"), join(place.path, "b")];
  await using node = await openOnDisk(from, { flushInterval: 1000 });
  await grow(node, 5);
  copyDirectory(from, to);
  await expectWhole(to, 5, 1);
});

test("a trie of another chain is rebuilt", async () => {
  using place = aTemporaryDirectory();
  const [from, other, to] = [join(place.path, "a"), join(place.path, "b"), join(place.path, "c")];
  await using node = await openOnDisk(from, { flushInterval: 1 });
  await grow(node, 5);
  await using stranger = await openOnDisk(other, { flushInterval: 1 });
  for (let n = 0; n <= 5; n++) await makeBlock(stranger, (world) => world.addBalance(alice, 1n));
  copyDirectory(join(from, "chain"), join(to, "chain"));
  await stranger.state.flush();
  copyDirectory(join(other, "trie"), join(to, "trie"));
  await expectWhole(to, 5, 1);
});

test("a missing undo record above the marker leads to a rebuild", async () => {
  using place = aTemporaryDirectory();
  const [from, to] = [join(place.path, "a"), join(place.path, "b")];
  await using node = await openOnDisk(from, { flushInterval: 1000 });
  await grow(node, 3);
  await node.state.flush();
  await grow(node, 9);
  const batch = node.chain.createBatch();
  batch.delete(tables.undo.key(6));
  await node.chain.write(batch, { sync: true });
  copyDirectory(from, to);
  await expectWhole(to, 9, 1);
});

test("a crash during a rebuild leaves nothing that the next one stumbles over", async () => {
  using place = aTemporaryDirectory();
  await openWithoutLater(place.path, 5);
  copyDirectory(join(place.path, "trie", "0"), join(place.path, "trie", "1"));
  const file = tableFiles(join(place.path, "trie", "0"))[0];
  if (file === undefined) throw new Error("no file");
  writeFileSync(join(place.path, "trie", "0", "CURRENT"), "nonsense\n");
  await expectWhole(place.path, 5, 1);
});

function tableFiles(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => /\.(log|ldb)$/.test(name))
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).size > 0);
}

/**
 * Opens a damaged copy and compares all that it answers with sound states of the same block and of the next.
 * A damaged log may cost the newest blocks, never one in between.
 */
async function outcomeOf(directory: string, last: number, twins: Twins): Promise<string> {
  try {
    await using node = await openOnDisk(directory, { slab: undefined });
    const { number } = node.state;
    if (number < last) expect(node.chain.damage).toBeDefined();
    if (number < 0) return "shorter";
    const twin = await twins.at(number);
    const content = contentOf(node, number);
    await node.state.ready;
    expect(content).toEqual(twin.content);
    await grow(node, number + 1);
    expect(toHex(node.state.root)).toBe(twin.next);
    return number < last ? "shorter" : "whole";
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return code;
  }
}

const ROUNDS = Number(process.env["KNIT_FLIPS"] ?? 12);

test.each([
  ["chain", ["corrupt", "shorter", "trie-damaged", "whole"]],
  ["trie", ["trie-damaged", "whole"]],
] as const)(
  "a flipped bit in the rows of the %s database gives a clear error or a rebuild",
  async (part, allowed) => {
    using place = aTemporaryDirectory();
    const sound = join(place.path, "sound");
    await openWithoutLater(sound, 6);
    await openWithoutLater(sound, 12); // the log of the first blocks has become a table
    const random = aRandom(Number(process.env["KNIT_SEED"] ?? 31));
    const outcomes = new Set<string>();
    await using twins = new Twins();
    for (let round = 0; round < ROUNDS; round++) {
      const copy = copyDirectory(sound, join(place.path, String(round)));
      const files = tableFiles(part === "trie" ? join(copy, "trie", "0") : join(copy, "chain"));
      const file = files[random.below(files.length)];
      if (file === undefined) throw new Error("no file");
      const content = readFileSync(file);
      const at = random.below(content.length);
      content[at] = (content[at] ?? 0) ^ (1 << random.below(8));
      writeFileSync(file, content);
      outcomes.add(await outcomeOf(copy, 12, twins));
    }
    expect(
      [...allowed, ...outcomes].filter((outcome) => !allowed.some((known) => known === outcome)),
    ).toEqual([]);
  },
  120_000,
);

/** A state whose trie rows a test can spoil while it is open. */
async function openSpoilable(): Promise<{ node: Opened; spoil: () => Promise<void> }> {
  const chain = createMemoryStore();
  const trie = keptTries();
  const node = closeTogether(
    chain,
    await openState({ chain, trie, flushInterval: 1, gatherBytes: 1, slab: undefined }),
  );
  await grow(node, 8);
  await node.state.flush();
  const spoil = async (): Promise<void> => {
    const store = await trie.open(0);
    const batch = store.createBatch();
    for await (const [key, value] of store.entries(trieTables.storageNode.range())) // roots: no leaf that is known
      batch.put(
        key,
        Uint8Array.from(value, (byte) => byte ^ 1),
      );
    expect(batch.size).toBeGreaterThan(0);
    await store.write(batch, { sync: false });
  };
  return { node, spoil };
}

test("a trie node that is damaged while blocks are made is mended, and the block made again", async () => {
  const { node, spoil } = await openSpoilable();
  await using _ = node;
  await using twin = await openInMemory();
  await grow(twin, 9);
  await spoil();
  await expect(grow(node, 9)).rejects.toMatchObject({ code: "trie-damaged" });
  expect(contentOf(node, 8)).toEqual(contentOf(twin, 8));
  await node.state.ready;
  await grow(node, 9);
  expect(toHex(node.state.root)).toBe(toHex(twin.state.root));
  expect(await node.state.verify()).toMatchObject({ strayNodes: 0 });
});

test("verify finds a damaged trie node", async () => {
  const { node, spoil } = await openSpoilable();
  await using _ = node;
  await spoil();
  await expect(node.state.verify()).rejects.toMatchObject({ code: "trie-damaged" });
});

test("a flat row that is lost is noticed when a block reads it, and cannot be mended", async () => {
  const chain = createMemoryStore();
  const trie = keptTries();
  await using node = closeTogether(chain, await openState({ chain, trie }));
  await makeBlock(node, (world) => {
    world.addBalance(alice, 1n);
    world.addBalance(bob, 1n);
  });
  await node.state.flush();
  const batch = chain.createBatch();
  batch.delete(tables.account.key(keccak256(alice)));
  await chain.write(batch, { sync: true });
  const state = await openState({ chain, trie, gatherBytes: 1 });
  expect(() => state.begin().balance(alice)).toThrow(expect.objectContaining({ code: "trie-damaged" }));
  await expect(state.ready).rejects.toMatchObject({ code: "corrupt" });
  await state[Symbol.asyncDispose]();
});

test("a flat row that changed is noticed when a block writes it, and cannot be mended", async () => {
  const chain = createMemoryStore();
  const trie = keptTries();
  await using node = closeTogether(chain, await openState({ chain, trie, cachedAccounts: 2 }));
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  await node.state.flush();
  const key = tables.account.key(keccak256(alice));
  const batch = chain.createBatch();
  batch.put(
    key,
    Uint8Array.from(chain.get(key) ?? [], (byte, i) => (i === 3 ? byte + 1 : byte)),
  );
  await chain.write(batch, { sync: true });
  const state = await openState({ chain, trie, gatherBytes: 1 });
  const world = state.begin();
  world.addBalance(alice, 1n);
  expect(() => state.seal(world)).toThrow(expect.objectContaining({ code: "trie-damaged" }));
  await expect(state.ready).rejects.toMatchObject({ code: "corrupt" });
  await state[Symbol.asyncDispose]();
});
