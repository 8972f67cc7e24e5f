/** Tests of the chain database: rows of blocks in a directory of their own, and batches that land as a whole. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import {
  blocksDirectory,
  type ChainStore,
  joinStores,
  openChainReader,
  openChainStore,
  openChainWriter,
  trimBlocks,
} from "../../../node/store/chain-store.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Batch, Store, WriteOptions } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import { storeContract } from "./contract.ts";

const parent = mkdtempSync(join(tmpdir(), "knit-chain-store-"));
afterAll(() => rmSync(parent, { recursive: true }));
let directories = 0;
const aDirectory = (): string => join(parent, String(directories++), "chain");

storeContract("chain store", () => openChainStore(aDirectory()));
storeContract("joined stores", async () => joinStores(createMemoryStore(), createMemoryStore()));

const HEAD = tables.meta.key("state");
const body = (number: number): Uint8Array => tables.body.key(number);
const value = (text: string): Uint8Array => Buffer.from(text);
const text = (row: Uint8Array | undefined): string | undefined => row && Buffer.from(row).toString();

/** A store that notes its writes in their order, and the stores joined to it. */
interface Watched {
  readonly store: ChainStore;
  readonly chain: Store;
  readonly blocks: Store;
  readonly writes: string[];
}

function aWatchedStore(): Watched {
  const writes: string[] = [];
  const [chain, blocks] = ["chain", "blocks"].map((name) => noting(createMemoryStore(), name, writes)) as [
    Store,
    Store,
  ];
  return { store: joinStores(chain, blocks), chain, blocks, writes };
}

/** Notes each write when it is done: its database, its number of changes, and `sync`. */
function noting(store: Store, name: string, writes: string[]): Store {
  const write = store.write.bind(store);
  return Object.assign(store, {
    write: async (batch: Batch, options: WriteOptions) => {
      const { size } = batch;
      await write(batch, options);
      writes.push(`${name} ${size}${options.sync ? " sync" : ""}`);
    },
  });
}

async function put(
  store: Store,
  rows: readonly (readonly [Uint8Array, string])[],
  sync = true,
): Promise<void> {
  const batch = store.createBatch();
  for (const [key, content] of rows) batch.put(key, value(content));
  await store.write(batch, { sync });
}

/** First letters of the keys. */
async function keysIn(directory: string): Promise<string[]> {
  await using store = await openLevelStore(directory);
  const found: string[] = [];
  for await (const [key] of store.entries({ from: Uint8Array.of(1), to: Uint8Array.of(255) }))
    found.push(String.fromCharCode(key[0] ?? 0));
  return found;
}

test("rows of blocks lie in a directory of their own", async () => {
  const chain = aDirectory();
  {
    await using store = await openChainStore(chain);
    await put(store, [
      [tables.header.key(1), "header"],
      [body(1), "body"],
      [tables.receipts.key(1), "receipts"],
      [tables.senders.key(1), "senders"],
      [tables.undo.key(1), "undo"],
      [HEAD, "head"],
    ]);
  }
  expect(await keysIn(blocksDirectory(chain))).toEqual(["b", "f", "h", "r"]);
  expect(await keysIn(chain)).toEqual(["m", "u"]);
});

test("rows of blocks are synced before the other rows of their batch are written, synced or not", async () => {
  const { store, writes } = aWatchedStore();
  await put(
    store,
    [
      [body(1), "body"],
      [HEAD, "1"],
    ],
    false,
  );
  expect(writes).toEqual(["blocks 1", "blocks 0 sync", "chain 1"]);
});

test("one sync of blocks serves all batches that wait", async () => {
  const { store, writes } = aWatchedStore();
  const batches = [1, 2, 3].map((number) =>
    put(
      store,
      [
        [body(number), "body"],
        [HEAD, `${number}`],
      ],
      false,
    ),
  );
  expect([body(3), HEAD].map((key) => text(store.get(key)))).toEqual(["body", "3"]);
  await Promise.all(batches);
  expect(writes.filter((write) => write.endsWith("sync")).length).toBeLessThan(3);
  expect(writes.slice(-3)).toEqual(["chain 1", "chain 1", "chain 1"]);
  await put(store, [[HEAD, "4"]]);
  expect(writes.slice(-1)).toEqual(["chain 1 sync"]);
});

test("deleted rows of blocks go when the other rows of their batch are on disk, and are not read before", async () => {
  const { store, blocks, writes } = aWatchedStore();
  await put(store, [
    [body(1), "body"],
    [HEAD, "1"],
  ]);
  writes.length = 0;
  const batch = store.createBatch();
  batch.delete(body(1));
  batch.put(HEAD, value("0"));
  const written = store.write(batch, { sync: false });
  expect(store.get(body(1))).toBeUndefined();
  expect(text(blocks.get(body(1)))).toBe("body");
  await written;
  expect(blocks.get(body(1))).toBeUndefined();
  expect(writes).toEqual(["chain 2 sync", "blocks 1"]);
});

test("a row of a block that a later batch puts outlasts its deletion", async () => {
  const { store } = aWatchedStore();
  await put(store, [[body(1), "old"]]);
  const removal = store.createBatch();
  removal.delete(body(1));
  const removed = store.write(removal, { sync: true });
  const added = put(store, [[body(1), "new"]]);
  expect(text(store.get(body(1)))).toBe("new");
  await Promise.all([removed, added]);
  expect(text(store.get(body(1)))).toBe("new");
});

test("a row that is deleted again stays until its last deletion is on disk", async () => {
  const { store, blocks } = aWatchedStore();
  await put(store, [[body(1), "old"]]);
  const remove = (): Promise<void> => {
    const removal = store.createBatch();
    removal.delete(body(1));
    return store.write(removal, { sync: true });
  };
  const first = remove();
  const added = put(store, [[body(1), "new"]]);
  const last = remove();
  await first;
  expect(text(blocks.get(body(1)))).toBe("new");
  await Promise.all([added, last]);
  expect([store, blocks].map((each) => each.get(body(1)))).toEqual([undefined, undefined]);
});

test("a batch whose rows of blocks cannot be written is refused with all later ones", async () => {
  const { chain, store, blocks } = aWatchedStore();
  const failure = new Error("disk full");
  Object.assign(blocks, { write: () => Promise.reject(failure) });
  await expect(
    put(store, [
      [body(1), "body"],
      [HEAD, "1"],
    ]),
  ).rejects.toThrow("disk full");
  await expect(put(store, [[HEAD, "2"]])).rejects.toThrow("disk full");
  expect(chain.get(HEAD)).toBeUndefined();
});

test("rows of blocks that earlier releases have written into the chain's directory are read, and deleted there", async () => {
  const { store, chain } = aWatchedStore();
  for (const number of [1, 2]) await put(chain, [[body(number), `old ${number}`]]);
  await put(store, [[body(3), "new 3"]]);
  const found: (string | undefined)[] = [];
  for await (const [, row] of store.entries(tables.body.range())) found.push(text(row));
  expect(found).toEqual(["old 1", "old 2", "new 3"]);
  found.length = 0;
  for await (const [, row] of store.entries({ ...tables.body.range(), reverse: true, limit: 2 }))
    found.push(text(row));
  expect(found).toEqual(["new 3", "old 2"]);
  const batch = store.createBatch();
  batch.delete(body(2));
  await store.write(batch, { sync: true });
  expect([1, 2, 3].map((number) => text(store.get(body(number))))).toEqual(["old 1", undefined, "new 3"]);
  using snapshot = store.snapshot();
  expect(text(snapshot.get(body(1)))).toBe("old 1");
});

test("rows of blocks above the head are deleted", async () => {
  const { store } = aWatchedStore();
  for (const number of [6, 7, 8])
    await put(store, [
      [tables.header.key(number), "header"],
      [body(number), "body"],
    ]);
  await trimBlocks(store, 6);
  expect(
    [6, 7, 8].map((number) => [tables.header.key(number), body(number)].map((key) => text(store.get(key)))),
  ).toEqual([
    ["header", "body"],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test("other threads read and write both directories", async () => {
  const chain = aDirectory();
  await using store = await openChainStore(chain, { hasWriters: true });
  await using writer = await openChainWriter(chain);
  const batch = writer.createBatch();
  batch.put(body(1), value("body"));
  batch.put(HEAD, value("1"));
  expect(batch.bytes).toBe(body(1).length + HEAD.length + 5);
  await writer.write(batch);
  await put(store, []);
  await using reader = await openChainReader(chain);
  using snapshot = reader.snapshot();
  for (const rows of [store, writer, snapshot])
    expect([body(1), HEAD].map((key) => text(rows.get(key)))).toEqual(["body", "1"]);
});

test("a chain whose rows of blocks are gone is refused, and nothing is put in their place", async () => {
  const chain = aDirectory();
  {
    await using store = await openChainStore(chain);
    await put(store, [
      [tables.meta.key("schema"), "2"],
      [tables.header.key(0), "genesis"],
    ]);
  }
  rmSync(blocksDirectory(chain), { recursive: true });
  await expect(openChainStore(chain)).rejects.toMatchObject({
    code: "corrupt",
    message: `${blocksDirectory(chain)} is missing`,
  });
  expect(existsSync(blocksDirectory(chain))).toBe(false);
});
