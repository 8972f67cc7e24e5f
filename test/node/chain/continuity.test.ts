/** Tests of the check of the chain after damage. */
import { expect, test } from "@jest/globals";
import { settleDamage, UNKNOWN_SIGNER } from "../../../node/chain/continuity.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { silentLog } from "../../../node/observe/log.ts";
import type { Store } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import { aChain, recordedBlocks, recordedGenesis } from "../../support/chain.ts";

const SIGNER = tables.meta.key("signer");
const pause = (): undefined => undefined;

async function aDamagedStore(): Promise<{ store: Store; dismissed: () => boolean }> {
  const open = await aChain(await recordedGenesis());
  for (const raw of (await recordedBlocks()).slice(1, 6)) await open.writer.insert(decodeBlock(raw));
  await open.writer.settle();
  let isDismissed = false;
  const dismissDamage = (): Promise<void> => {
    isDismissed = true;
    return Promise.resolve();
  };
  const store = Object.assign(Object.create(open.store) as Store, { damage: "a record", dismissDamage });
  const { get, createBatch, write } = open.store;
  Object.assign(store, {
    get: get.bind(open.store),
    createBatch: createBatch.bind(open.store),
    write: write.bind(open.store),
  });
  return { store, dismissed: () => isDismissed };
}

test("a chain that is whole settles the damage", async () => {
  const { store, dismissed } = await aDamagedStore();
  await settleDamage(store, 5, silentLog, pause);
  expect(dismissed()).toBe(true);
});

test("the check asks for a pause after every block, and waits for one that is due", async () => {
  const { store, dismissed } = await aDamagedStore();
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const settling = settleDamage(store, 5, silentLog, () => (++asked === 3 ? promise : undefined));
  await new Promise((later) => setImmediate(later));
  expect([asked, dismissed()]).toEqual([3, false]);
  resolve();
  await settling;
  expect([asked, dismissed()]).toEqual([6, true]);
});

test("the signer is unknown on disk before the damage is dismissed: its newest record may be lost", async () => {
  const { store, dismissed } = await aDamagedStore();
  const batch = store.createBatch();
  batch.put(SIGNER, new Uint8Array(20).fill(1));
  await store.write(batch, { sync: true });
  const writes: unknown[] = [];
  const write: Store["write"] = (rows, options) => {
    writes.push([rows.find(SIGNER), options, dismissed()]);
    return store.write(rows, options);
  };
  await settleDamage(Object.assign(Object.create(store) as Store, { write }), 5, silentLog, pause);
  expect(writes).toEqual([[{ found: true, value: UNKNOWN_SIGNER }, { sync: true }, false]]);
  expect(store.get(SIGNER)).toEqual(UNKNOWN_SIGNER);
});

test.each([
  ["header", tables.header.key(3), "block 3 is missing"],
  ["body", tables.body.key(2), "block 2 is missing"],
  ["receipts", tables.receipts.key(1), "block 1 is missing"],
])("a missing %s is said and the damage stays", async (_what, key, message) => {
  const { store, dismissed } = await aDamagedStore();
  const get = store.get.bind(store);
  Object.assign(store, {
    get: (wanted: Uint8Array) => (Buffer.compare(wanted, key) === 0 ? undefined : get(wanted)),
  });
  await expect(settleDamage(store, 5, silentLog, pause)).rejects.toThrow(message);
  expect(dismissed()).toBe(false);
});

test("a block that does not follow is said", async () => {
  const { store } = await aDamagedStore();
  const get = store.get.bind(store);
  const third = tables.header.key(3);
  Object.assign(store, {
    get: (wanted: Uint8Array) => get(Buffer.compare(wanted, third) === 0 ? tables.header.key(4) : wanted),
  });
  await expect(settleDamage(store, 5, silentLog, pause)).rejects.toThrow(/block (3|4) is not the parent/);
});

test("without damage nothing is read", async () => {
  const { store } = await aDamagedStore();
  Object.assign(store, { damage: undefined, get: () => expect(true).toBe(false) });
  await settleDamage(store, 5, silentLog, pause);
});
