/** Tests of the verification of the whole state. */
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { Hash } from "../../../node/bytes/brands.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { slotsOf } from "../../../node/state/flat/storage-rows.ts";
import { decodeUndo, encodeUndo, type Undone } from "../../../node/state/history/undo-record.ts";
import { TRIE_STORE } from "../../../node/state/trie/generations.ts";
import type { World } from "../../../node/state/world/world.ts";
import { openLevelReader, openLevelWriter } from "../../../node/store/level-store.ts";
import type { Range, Store } from "../../../node/store/store.ts";
import { tables, trieTables } from "../../../node/store/tables.ts";
import {
  anAddress,
  aTemporaryDirectory,
  makeBlock,
  type Opened,
  openInMemory,
  openOnDisk,
} from "./fixture.ts";

const alice = anAddress(1);
const CODE = Uint8Array.of(1, 2, 3);
const SLOT = tables.slot.key(keccak256(alice), 1, keccak256(new Uint8Array(32)));

/** A row that says that a block after the newest destroys storage of the contract. */
function destroyedLater(incarnation: number): Uint8Array {
  return tables.destroyed.key(9, keccak256(alice), incarnation);
}

async function openContract(): Promise<Opened> {
  const node = await openInMemory();
  await makeBlock(node, (world) => {
    world.setAccount(alice, { ...emptyAccount(), kind: "contract", nonce: 1n });
    world.setCode(alice, CODE);
    for (let i = 0n; i < 20n; i++) world.setSlot(alice, i, 7n);
  });
  return node;
}

test("verify counts accounts, slots and code", async () => {
  await using node = await openContract();
  await makeBlock(node, (world) => {
    world.setAccount(anAddress(2), { ...emptyAccount(), kind: "contract", nonce: 1n });
    world.setCode(anAddress(2), CODE);
  });
  expect(await node.state.verify()).toMatchObject({ accounts: 2, slots: 20, codes: 1, changes: 0 });
});

test.each([
  ["a slot that is gone", SLOT, undefined],
  ["a slot with another value", SLOT, Uint8Array.of(8)],
  ["a slot too many", slotsOf(keccak256(alice), 1).to, Uint8Array.of(1)],
  ["a slot for a contract to come", tables.slot.key(keccak256(alice), 2, keccak256(alice)), Uint8Array.of(1)],
  ["storage in use that a later sweep would delete", destroyedLater(1), new Uint8Array(0)],
  ["storage to come that a later sweep would delete", destroyedLater(2), new Uint8Array(0)],
  ["code that is gone", tables.code.key(keccak256(CODE)), undefined],
  ["other code", tables.code.key(keccak256(CODE)), Uint8Array.of(9)],
  ["an account that is gone", tables.account.key(keccak256(alice)), undefined],
])("verify finds %s", async (_, key, value) => {
  await using node = await openContract();
  const batch = node.chain.createBatch();
  if (value === undefined) batch.delete(key);
  else batch.put(key.length === SLOT.length ? key : key.subarray(0, SLOT.length), value);
  await node.chain.write(batch, { sync: false });
  await expect(node.state.verify()).rejects.toMatchObject({ code: "corrupt" });
});

/** Blocks that change, destroy and recreate a contract, with their roots. */
async function openPast(): Promise<{ readonly node: Opened; readonly rootAt: (number: number) => Hash }> {
  const node = await openContract();
  const roots = [node.state.root];
  const blocks: ((world: World) => void)[] = [
    (world) => world.setSlot(alice, 3n, 9n),
    (world) => world.destroy(alice),
    (world) => world.setAccount(alice, { ...emptyAccount(), kind: "contract", nonce: 1n }),
    (world) => world.setSlot(alice, 5n, 1n),
    (world) => world.addBalance(anAddress(2), 7n),
  ];
  for (const change of blocks) {
    await makeBlock(node, change);
    roots.push(node.state.root);
  }
  return { node, rootAt: (number) => roots[number] as Hash }; // each block has one
}

describe("the states of recent blocks", () => {
  test("are those of their headers", async () => {
    const { node, rootAt } = await openPast();
    await using _ = node;
    expect(await node.state.verify({ rootAt })).toMatchObject({ slots: 1 });
  });

  test.each<[string, (undone: Undone) => Undone]>([
    [
      "another balance",
      ({ key, before }) => ({ key, before: before && Uint8Array.from(before).fill(1, -3) }),
    ],
    ["one account less", ({ key }) => ({ key, before: undefined })],
    ["a row of no state", ({ before }) => ({ key: tables.meta.key("config"), before })],
  ])("are refused where an undo record has %s", async (_, forge) => {
    const { node, rootAt } = await openPast();
    await using _node = node;
    const key = tables.undo.key(2);
    const batch = node.chain.createBatch();
    batch.put(key, encodeUndo([...decodeUndo(node.chain.get(key) ?? new Uint8Array())].map(forge)));
    await node.chain.write(batch, { sync: false });
    await expect(node.state.verify({ rootAt })).rejects.toMatchObject({
      code: "corrupt",
      message: "the undo record of block 2 does not lead to the state before it",
    });
  });
});

const directoriesIn = (path: string): { chain: string; tries: string } => ({
  chain: join(path, "chain"),
  tries: join(path, "trie"),
});

/** Opens 300 contracts on disk, two of them with code, and 300 slots. */
async function openManyOnDisk(directory: string): Promise<Opened> {
  const node = await openOnDisk(directory);
  await makeBlock(node, (world) => {
    for (let n = 0; n < 300; n++) {
      const address = keccak256(Uint8Array.of(n & 255, n >> 8)).subarray(0, 20);
      world.setAccount(address, { ...emptyAccount(), kind: "contract", nonce: 1n });
      if (n < 2) world.setCode(address, Uint8Array.of(n));
      for (let slot = 0n; slot < n % 3; slot++) world.setSlot(address, slot, 1n << (7n * slot + 100n));
    }
  });
  await node.state.flush();
  return node;
}

test("threads find what one thread finds, and report how far they are", async () => {
  using place = aTemporaryDirectory();
  await using node = await openManyOnDisk(place.path);
  const directories = directoriesIn(place.path);
  const reports: number[] = [];
  const found = await node.state.verify({ directories, progress: (accounts) => reports.push(accounts) });
  expect(found).toEqual(await node.state.verify());
  expect(found).toMatchObject({ accounts: 300, slots: 300, codes: 2, strayNodes: 0, straySlots: 0 });
  expect(reports.at(-1)).toBe(300);
});

test.each(["account", "slot"] as const)("a thread's error of a damaged %s is the caller's", async (table) => {
  using place = aTemporaryDirectory();
  await using node = await openManyOnDisk(place.path);
  const batch = node.chain.createBatch();
  batch.put(await firstKey(node.chain, tables[table].range()), Uint8Array.of(1, 2, 3));
  await node.chain.write(batch, { sync: false });
  const verified = node.state.verify({ directories: directoriesIn(place.path) });
  await expect(verified).rejects.toMatchObject({ name: "StateError", code: "corrupt" });
});

test("a trie node that fails its hash is named with its account", async () => {
  using place = aTemporaryDirectory();
  await using node = await openManyOnDisk(place.path);
  const directories = directoriesIn(place.path);
  await using writer = await openLevelWriter(join(directories.tries, "0"), TRIE_STORE);
  await using reader = await openLevelReader(join(directories.tries, "0"), TRIE_STORE);
  using rows = reader.snapshot();
  const key = await firstKey(rows, trieTables.storageNode.range());
  const batch = writer.createBatch();
  batch.put(key, Uint8Array.of(0xc0));
  await writer.write(batch);
  await expect(node.state.verify({ directories })).rejects.toMatchObject({
    code: "trie-damaged",
    message: `trie node ${bareHex(key.subarray(1, 33))}/ fails its hash`,
  });
});

async function firstKey(rows: Pick<Store, "entries">, range: Range): Promise<Uint8Array> {
  for await (const [key] of rows.entries({ ...range, limit: 1 })) return key;
  throw new Error("no row");
}

function refuseMore(): void {
  throw new RangeError("enough");
}

test("whoever hears of progress can end the work", async () => {
  using place = aTemporaryDirectory();
  await using node = await openManyOnDisk(place.path);
  const verified = node.state.verify({ directories: directoriesIn(place.path), progress: refuseMore });
  await expect(verified).rejects.toThrow("enough");
  await expect(node.state.verify({ progress: refuseMore })).rejects.toThrow("enough");
});

test("verify counts slots of nobody", async () => {
  await using node = await openContract();
  const batch = node.chain.createBatch();
  batch.put(tables.slot.key(keccak256(alice), 0, keccak256(alice)), Uint8Array.of(1));
  await node.chain.write(batch, { sync: false });
  expect(await node.state.verify()).toMatchObject({ slots: 20, straySlots: 1 });
});
