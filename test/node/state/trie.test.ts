/** Tests of the Merkle Patricia trie against an independent one. */
import { createMPT, verifyMerkleProof } from "@ethereumjs/mpt";
import { MapDB, ValueEncoding } from "@ethereumjs/util";
import { expect, test } from "@jest/globals";
import { equalBytes } from "../../../node/bytes/compare.ts";
import { mapKey, toHex } from "../../../node/bytes/hex.ts";
import { EMPTY_TRIE_ROOT } from "../../../node/model/list-root.ts";
import { runAtOnce } from "../../../node/runtime/scheduler.ts";
import { NodeSource } from "../../../node/state/trie/node-source.ts";
import { RowCheck, type TrieLeaf } from "../../../node/state/trie/row-check.ts";
import { Slab } from "../../../node/state/trie/slab.ts";
import { Trie } from "../../../node/state/trie/trie.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Batch, Store } from "../../../node/store/store.ts";
import { aRandom } from "./random.ts";

const PREFIX = Uint8Array.of(65);
const ALL = { from: PREFIX, to: Uint8Array.of(66) };
const ROUNDS = Number(process.env["KNIT_TRIE_ROUNDS"] ?? 4);

const aKey = (...nibbles: number[]): Uint8Array => {
  const key = new Uint8Array(32);
  nibbles.forEach((nibble, i) => {
    key[i >> 1] = (key[i >> 1] ?? 0) | (nibble << (i % 2 === 0 ? 4 : 0));
  });
  return key;
};
const aTrie = (store: Store, root?: Uint8Array, slab?: Slab): Trie =>
  new Trie(new NodeSource(store, PREFIX, slab), root);

async function flush(store: Store, trie: Trie, batch: Batch = store.createBatch()): Promise<Uint8Array> {
  trie.flush(batch);
  await store.write(batch, { sync: false });
  return trie.hash();
}

test("an empty trie has the empty root and nothing under any key", () => {
  const trie = aTrie(createMemoryStore());
  expect(trie.hash()).toEqual(EMPTY_TRIE_ROOT);
  expect(trie.get(aKey(1))).toBeUndefined();
  expect(trie.delete(aKey(1))).toBeUndefined();
});

test("put and delete return the value before", () => {
  const trie = aTrie(createMemoryStore());
  expect(trie.put(aKey(1), Uint8Array.of(1))).toBeUndefined();
  expect(trie.put(aKey(2), Uint8Array.of(2))).toBeUndefined();
  expect(trie.put(aKey(1), Uint8Array.of(3))).toEqual(Uint8Array.of(1));
  expect(trie.delete(aKey(1))).toEqual(Uint8Array.of(3));
  expect(trie.delete(aKey(1))).toBeUndefined();
  expect(trie.get(aKey(2))).toEqual(Uint8Array.of(2));
});

test("a flush has little left to write where nodes were gathered before", async () => {
  const random = aRandom(7);
  const store = createMemoryStore();
  const trie = aTrie(store);
  for (let i = 0; i < 2_000; i++) trie.put(random.bytes(32), random.bytes(40));
  const batch = store.createBatch();
  runAtOnce(trie.gatherSteps(batch));
  expect(trie.ungatheredBytes).toBe(0);
  const gathered = batch.size;
  trie.put(random.bytes(32), random.bytes(40));
  trie.hash();
  expect(trie.ungatheredBytes).toBeGreaterThan(0);
  await flush(store, trie, batch);
  expect(gathered).toBeGreaterThan(1_900);
  expect(batch.size - gathered).toBeLessThan(1_000); // branches of the topmost levels
});

test("a gathered node in the place of a removed one is written, and one removed later is not", async () => {
  const store = createMemoryStore();
  const trie = aTrie(store);
  const [kept, gone] = [aKey(1), aKey(2)];
  const value = new Uint8Array(40).fill(1);
  for (const key of [kept, gone, aKey(3)]) trie.put(key, value);
  await flush(store, trie);
  const batch = store.createBatch();
  trie.delete(kept);
  trie.put(kept, new Uint8Array(40).fill(2));
  trie.put(gone, new Uint8Array(40).fill(3));
  runAtOnce(trie.gatherSteps(batch));
  trie.delete(gone);
  const root = await flush(store, trie, batch);
  const model = new Map([
    [mapKey(kept), new Uint8Array(40).fill(2)],
    [mapKey(aKey(3)), value],
  ]);
  await expectStored(store, root, model);
});

/** Keys that share long prefixes, and values from one byte up: leaves inline, extensions, collapses. */
async function compareWithOracle(seed: number, slabBytes: number | undefined): Promise<void> {
  const random = aRandom(seed);
  const keys = Array.from({ length: 60 }, () => {
    const key = random.bytes(32);
    const shared = random.below(33);
    key.fill(0x11, 0, shared);
    return key;
  });
  const oracle = await createMPT({ db: new MapDB(), valueEncoding: ValueEncoding.Bytes });
  const model = new Map<string, Uint8Array>();
  const store = createMemoryStore();
  const slab = slabBytes === undefined ? undefined : new Slab(slabBytes);
  let trie = aTrie(store, undefined, slab);
  let gathered = store.createBatch();
  for (let batch = 0; batch < 8; batch++) {
    const removing = random.below(3) === 0;
    for (let change = random.below(40); change >= 0; change--) {
      const key = keys[random.below(keys.length)] as Uint8Array;
      const before = model.get(mapKey(key));
      const guess = [undefined, before, random.bytes(40)][random.below(3)];
      if (random.below(10) < (removing ? 8 : 3)) {
        expect(trie.delete(key, guess)).toEqual(before);
        model.delete(mapKey(key));
        await oracle.del(key);
      } else {
        const value = random.bytes(1 + random.below(random.below(2) === 0 ? 4 : 80));
        expect(trie.put(key, value, guess)).toEqual(before);
        model.set(mapKey(key), value);
        await oracle.put(key, value);
      }
    }
    expect(toHex(trie.hash())).toBe(toHex(oracle.root()));
    await expectProven(trie, [keys[0], keys[random.below(60)], random.bytes(32)], model);
    if (random.below(2) === 0) runAtOnce(trie.gatherSteps(gathered));
    const step = random.below(4);
    if (step === 0) continue;
    const root = await flush(store, trie, gathered);
    gathered = store.createBatch();
    if (step === 3) trie = aTrie(store, root, slab);
    await expectStored(store, root, model);
  }
}

/** Proofs lead an independent library from the root to what the model holds. */
async function expectProven(
  trie: Trie,
  keys: readonly (Uint8Array | undefined)[],
  model: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  for (const key of keys) {
    if (key === undefined || model.size === 0) continue;
    const proof = trie.prove(key);
    const found = await verifyMerkleProof(key, proof, { root: trie.hash() });
    expect(found && toHex(found)).toBe(model.has(mapKey(key)) ? toHex(model.get(mapKey(key)) ?? key) : null);
  }
}

/** The stored trie holds exactly the model, in order, and the database not one row more. */
async function expectStored(store: Store, root: Uint8Array, model: Map<string, Uint8Array>): Promise<void> {
  const { leaves, strays } = await checkRows(store, root);
  const wanted = [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));
  expect(leaves.map(({ key, value }) => [toHex(key), toHex(value)])).toEqual(
    wanted.map(([key, value]) => [toHex(Buffer.from(key, "latin1")), toHex(value)]),
  );
  expect(strays).toBe(0);
}

/** Checks all rows in order; returns the leaves, and how many rows are not of the trie. */
async function checkRows(store: Store, root: Uint8Array): Promise<{ leaves: TrieLeaf[]; strays: number }> {
  const leaves: TrieLeaf[] = [];
  const check = new RowCheck(equalBytes(root, EMPTY_TRIE_ROOT) ? undefined : root, { leaves });
  let strays = 0;
  for await (const [key, row] of store.entries(ALL))
    if (check.take(key.subarray(PREFIX.length), row) === undefined) strays++;
  check.end();
  return { leaves, strays };
}

test("roots, values and stored rows equal an independent trie's over random batches", async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) await compareWithOracle(seed * 7919, 64 * 1024);
}, 1_800_000);

test("the same without a slab and with one that holds few nodes", async () => {
  for (let seed = 1; seed <= Math.ceil(ROUNDS / 10); seed++) {
    await compareWithOracle(seed * 104_729, undefined);
    await compareWithOracle(seed * 1_299_709, 4096);
  }
}, 1_800_000);

test("a node that is missing or changed on disk is reported as damage", async () => {
  const store = createMemoryStore();
  const random = aRandom(5);
  const trie = aTrie(store);
  for (let i = 0; i < 500; i++) trie.put(random.bytes(32), random.bytes(60));
  const root = await flush(store, trie);
  const rows: (readonly [Uint8Array, Uint8Array])[] = [];
  for await (const row of store.entries(ALL)) rows.push(row);
  for (let i = 0; i < rows.length; i += 37) {
    const [key, value] = rows[i] ?? [];
    if (key === undefined || value === undefined) throw new Error("no row");
    const flipped = Uint8Array.from(value);
    flipped[i % value.length] = (flipped[i % value.length] ?? 0) ^ 4;
    for (const wrong of [flipped, undefined]) {
      const batch = store.createBatch();
      if (wrong === undefined) batch.delete(key);
      else batch.put(key, wrong);
      await store.write(batch, { sync: false });
      await expect(checkRows(store, root)).rejects.toMatchObject({ code: "trie-damaged" });
    }
    const repair = store.createBatch();
    repair.put(key, value);
    await store.write(repair, { sync: false });
  }
  expect((await checkRows(store, root)).leaves).toHaveLength(500);
});

test("a collapse checks the sibling that it loads", async () => {
  const store = createMemoryStore();
  const trie = aTrie(store);
  trie.put(aKey(1, 2), new Uint8Array(40).fill(1));
  trie.put(aKey(1, 3), new Uint8Array(40).fill(2));
  const root = await flush(store, trie);
  const batch = store.createBatch();
  batch.put(Uint8Array.of(65, 1, 3), new Uint8Array(40));
  await store.write(batch, { sync: false });
  const reopened = aTrie(store, root);
  expect(() => reopened.delete(aKey(1, 2))).toThrow(/trie node \/13 fails its hash/);
});

test("a leaf is not read where the caller knows its value", async () => {
  const random = aRandom(11);
  const store = createMemoryStore();
  const filled = aTrie(store);
  const pairs = Array.from({ length: 3_000 }, () => [random.bytes(32), random.bytes(40)] as const);
  for (const [key, value] of pairs) filled.put(key, value);
  const root = await flush(store, filled);
  const readsWith = (guess: (value: Uint8Array) => Uint8Array | undefined): number => {
    let reads = 0;
    const get = (key: Uint8Array): Uint8Array | undefined => {
      reads++;
      return store.get(key);
    };
    const trie = new Trie(new NodeSource({ get }, PREFIX, undefined), root);
    for (const [key, value] of pairs.slice(0, 200)) {
      expect(trie.put(key, Uint8Array.of(1), guess(value))).toEqual(value);
    }
    return reads;
  };
  const withoutGuess = readsWith(() => undefined);
  expect(readsWith(() => new Uint8Array(40))).toBe(withoutGuess);
  expect(readsWith((value) => value)).toBe(withoutGuess - 200);
});
