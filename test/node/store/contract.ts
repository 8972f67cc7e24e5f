/** Contract of the stores: every implementation runs these tests. */
import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import type { Range, Row, Store } from "../../../node/store/store.ts";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const EVERYTHING: Range = { from: bytes(), to: bytes(255) };

/** Contract of every store; `open` gives an empty one. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  const inStore = (behaviour: string, body: (store: Store) => Promise<void>): void => {
    test(`${name}: ${behaviour}`, async () => {
      await using store = await open();
      await body(store);
    });
  };

  inStore("a written row is read back", async (store) => {
    await put(store, [bytes(1), bytes(10, 11)]);
    expect(plain(store.get(bytes(1)))).toEqual([10, 11]);
    expect(store.get(bytes(2))).toBeUndefined();
    expect(store.damage).toBeUndefined();
  });

  inStore("compaction keeps what is there, and unknown properties are nothing", async (store) => {
    await put(store, [bytes(1), bytes(10)], [bytes(254), bytes(11)]);
    await store.compact();
    expect([store.get(bytes(1)), store.get(bytes(254))].map(plain)).toEqual([[10], [11]]);
    expect(store.property("leveldb.nothing")).toBeUndefined();
  });

  inStore("the bytes of rows are told by range, once they are in table files", async (store) => {
    const [one, two, three] = [1, 2, 3].map(() => randomBytes(100_000)); // which cannot be packed
    await put(store, [bytes(1), one ?? bytes()], [bytes(3), two ?? bytes()], [bytes(3, 1), three ?? bytes()]);
    await store.compact();
    const within = async (from: number, to: number) => store.bytesIn({ from: bytes(from), to: bytes(to) });
    expect(await within(1, 2)).toBeGreaterThan(50_000);
    expect(await within(3, 4)).toBeGreaterThan(1.5 * (await within(1, 2)));
    expect(await within(5, 9)).toBe(0);
  });

  inStore("keys of any length stand for themselves", async (store) => {
    const keys = Array.from({ length: 80 }, (_, i) => new Uint8Array(i + 1).fill(200));
    await put(store, ...keys.map((key): Row => [key, bytes(key.length)]));
    expect(keys.map((key) => plain(store.get(key)))).toEqual(keys.map((key) => [key.length]));
    const batch = store.createBatch();
    for (const key of keys) if (key.length % 2 === 0) batch.delete(key);
    await store.write(batch, { sync: true });
    const rows = await rowsOf(store.entries(EVERYTHING));
    expect(rows.map(([key]) => key.length)).toEqual(Array.from({ length: 40 }, (_, i) => 2 * i + 1));
  });

  inStore("an empty value is a row", async (store) => {
    await put(store, [bytes(1), bytes()]);
    expect(plain(store.get(bytes(1)))).toEqual([]);
  });

  inStore("a batch counts its changes and their bytes", async (store) => {
    const batch = store.createBatch();
    batch.put(bytes(1, 2), bytes(3));
    batch.delete(bytes(4));
    expect([batch.size, batch.bytes]).toEqual([2, 4]);
  });

  inStore("of several changes of one key the last counts", async (store) => {
    const batch = store.createBatch();
    batch.put(bytes(1), bytes(1));
    batch.delete(bytes(1));
    batch.delete(bytes(2));
    batch.put(bytes(2), bytes(2));
    await store.write(batch, { sync: true });
    expect(store.get(bytes(1))).toBeUndefined();
    expect(plain(store.get(bytes(2)))).toEqual([2]);
  });

  inStore("rows of a batch in flight are read by get and not by snapshots or iterations", async (store) => {
    await put(store, [bytes(1), bytes(1)], [bytes(2), bytes(2)]);
    const first = store.createBatch();
    first.put(bytes(1), bytes(7));
    first.delete(bytes(2));
    const second = store.createBatch();
    second.put(bytes(1), bytes(8));
    const writes = [store.write(first, { sync: false }), store.write(second, { sync: false })];
    using snapshot = store.snapshot();
    expect(plain(store.get(bytes(1)))).toEqual([8]);
    expect(store.get(bytes(2))).toBeUndefined();
    expect(plain(snapshot.get(bytes(1)))).toEqual([1]);
    expect(plain(snapshot.get(bytes(2)))).toEqual([2]);
    await Promise.all(writes);
    expect(plain(store.get(bytes(1)))).toEqual([8]);
  });

  inStore("an empty batch can be written, synced or not", async (store) => {
    await store.write(store.createBatch(), { sync: false });
    await store.write(store.createBatch(), { sync: true });
    expect(await rowsOf(store.entries(EVERYTHING))).toEqual([]);
  });

  inStore("a snapshot keeps the rows of its moment", async (store) => {
    await put(store, [bytes(1), bytes(1)]);
    using snapshot = store.snapshot();
    await put(store, [bytes(1), bytes(2)], [bytes(3), bytes(3)]);
    expect(plain(snapshot.get(bytes(1)))).toEqual([1]);
    expect(await rowsOf(snapshot.entries(EVERYTHING))).toEqual([[[1], [1]]]);
    expect(await rowsOf(store.entries(EVERYTHING))).toEqual([
      [[1], [2]],
      [[3], [3]],
    ]);
  });

  inStore("a range excludes its end, runs either way and stops at its limit", async (store) => {
    await put(store, ...[1, 2, 3, 4].map((n): Row => [bytes(n, 0), bytes(n)]));
    const range = { from: bytes(2), to: bytes(4, 0) };
    const values = async (wanted: Range): Promise<unknown[]> =>
      (await rowsOf(store.entries(wanted))).map(([, value]) => value);
    expect(await values(range)).toEqual([[2], [3]]);
    expect(await values({ ...range, reverse: true })).toEqual([[3], [2]]);
    expect(await values({ ...EVERYTHING, limit: 3 })).toEqual([[1], [2], [3]]);
    expect(await values({ ...EVERYTHING, limit: 1, reverse: true })).toEqual([[4]]);
  });

  inStore("iteration passes many pages in order", async (store) => {
    const keys = Array.from({ length: 2000 }, (_, i) => bytes(i >> 8, i & 255));
    await put(store, ...keys.toReversed().map((key): Row => [key, key]));
    const rows = await rowsOf(store.entries(EVERYTHING));
    expect(rows.map(([key]) => key)).toEqual(keys.map((key) => [...key]));
  });

  test(`${name}: a closed store refuses with the code closed`, async () => {
    const store = await open();
    await put(store, [bytes(1), bytes(1)]);
    await store[Symbol.asyncDispose]();
    expect(() => store.get(bytes(1))).toThrow(expect.objectContaining({ code: "closed" }));
    expect(() => store.createBatch()).toThrow(expect.objectContaining({ code: "closed" }));
  });

  test(`${name}: closing waits for the batches in flight`, async () => {
    const store = await open();
    const batch = store.createBatch();
    batch.put(bytes(1), bytes(1));
    let written = false;
    const writing = store.write(batch, { sync: true }).then(() => {
      written = true;
    });
    await store[Symbol.asyncDispose]();
    await writing;
    expect(written).toBe(true);
  });
}

async function put(store: Store, ...rows: readonly Row[]): Promise<void> {
  const batch = store.createBatch();
  for (const [key, value] of rows) batch.put(key, value);
  await store.write(batch, { sync: true });
}

async function rowsOf(rows: AsyncIterable<Row>): Promise<[number[], number[]][]> {
  const all: [number[], number[]][] = [];
  for await (const [key, value] of rows) all.push([[...key], [...value]]);
  return all;
}

function plain(value: Uint8Array | undefined): number[] | undefined {
  return value && [...value];
}
