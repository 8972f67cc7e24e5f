/** Tests of the supply of the coin. */
import { expect, test } from "@jest/globals";
import type { Chain, HeadListener, RewindListener } from "../../../node/chain/chain.ts";
import { openFollowers } from "../../../node/chain/followers.ts";
import { oldestBody, putOldestBody } from "../../../node/chain/kept-blocks.ts";
import { openSupply, putSupply } from "../../../node/chain/supply.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { createPause } from "../../../node/runtime/scheduler.ts";
import { tables } from "../../../node/store/tables.ts";
import { aChain, decodedBlocks, recordedGenesis, type TestChain } from "../../support/chain.ts";
import { recordedChain } from "../rpc/recorded-chain.ts";

const pause = createPause();

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test("totals are the same wherever sums are kept, and kept sums are found again", async () => {
  await using recorded = await recordedChain();
  const { chain, store } = recorded;
  const head = chain.head().header.number;
  const parts = { chain, store, pause, log: silentLog };
  const numbers = [0, 1, 7, 8, 9, 24, head];
  const plain = openSupply({ ...parts, interval: 1_000 });
  const expected = await Promise.all(numbers.map((number) => plain.totals(number)));
  await plain[Symbol.asyncDispose]();
  expect(expected[0]).toEqual({ minted: expect.any(BigInt), burntFees: 0n });
  const perBlock = chain.parameters(1).mintingAmount;
  expect(expected.at(-1)?.minted).toBe((expected[0]?.minted ?? 0n) + BigInt(head) * perBlock);
  const last = head - (head % 8);
  {
    await using kept = openSupply({ ...parts, interval: 8 });
    await until(() => store.get(tables.supply.key(last)) !== undefined);
    expect(await Promise.all(numbers.map((number) => kept.totals(number)))).toEqual(expected);
  }
  const read: number[] = [];
  const watched: Chain = { ...chain, block: (number) => (read.push(number), chain.block(number)) };
  await using again = openSupply({ ...parts, chain: watched, interval: 8 });
  expect(await again.totals(head)).toEqual(expected.at(-1));
  expect(read.every((number) => number > last)).toBe(true);
});

test("sums of blocks that were taken out of the chain go with them", async () => {
  await using recorded = await recordedChain();
  const { chain, store } = recorded;
  const head = chain.head();
  const last = head.header.number - (head.header.number % 8);
  let taken: RewindListener | undefined;
  const watched: Chain = {
    ...chain,
    onRewind: (listener) => {
      taken = listener;
      return () => undefined;
    },
  };
  await using supply = openSupply({ chain: watched, store, pause, log: silentLog, interval: 8 });
  await until(() => store.get(tables.supply.key(last)) !== undefined);
  const block = chain.block(last);
  const before = chain.block(last - 1);
  if (block === undefined || before === undefined) throw new Error("the recorded chain is longer");
  taken?.([{ block, receipts: [] }], before);
  await until(() => store.get(tables.supply.key(last)) === undefined);
  expect(await supply.totals(last)).toBeUndefined();
});

test("a sum under way when the chain is taken back is begun anew", async () => {
  await using recorded = await recordedChain();
  const { chain, store } = recorded;
  const taken: RewindListener[] = [];
  const read: number[] = [];
  const watched: Chain = {
    ...chain,
    block: (number) => (read.push(number), chain.block(number)),
    onRewind: (listener) => {
      taken.push(listener);
      return () => undefined;
    },
  };
  const rewind = (): undefined => {
    for (const listener of taken.splice(0)) listener([], chain.head());
  };
  await using _ = openSupply({ chain: watched, store, pause: rewind, log: silentLog, interval: 8 });
  await until(() => store.get(tables.supply.key(8)) !== undefined);
  expect(read.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1, 2]);
});

test("what new blocks add is not read again", async () => {
  await using recorded = await recordedChain();
  const { chain, store } = recorded;
  await using plain = openSupply({ chain, store, pause, log: silentLog, interval: 1_000 });
  const expected = await plain.totals(8);
  const heads: HeadListener[] = [];
  const read: number[] = [];
  let head = 0;
  const growing: Chain = {
    ...chain,
    head: () => chain.block(head) ?? chain.head(),
    block: (number) => (read.push(number), chain.block(number)),
    onHead: (listener) => {
      heads.push(listener);
      return () => undefined;
    },
  };
  await using _ = openSupply({ chain: growing, store, pause, log: silentLog, interval: 8 });
  while (head < 8) {
    const block = chain.block(++head);
    if (block === undefined) throw new Error("the recorded chain is longer");
    for (const listener of heads) listener(block, chain.receipts(head) ?? []);
  }
  await until(() => store.get(tables.supply.key(8)) !== undefined);
  expect(read).toEqual([]);
  await using again = openSupply({ chain, store, pause, log: silentLog, interval: 8 });
  expect(await again.totals(8)).toEqual(expected);
});

test("a database without the sum of block 0 has no totals", async () => {
  await using recorded = await recordedChain();
  const { chain, store } = recorded;
  const batch = store.createBatch();
  batch.delete(tables.supply.key(0));
  await store.write(batch, { sync: true });
  await using supply = openSupply({ chain, store, pause, log: silentLog });
  expect(await supply.totals(1)).toBeUndefined();
});

/** A chain whose blocks up to 9 have no bodies, as after an import from block 10; old states are soon gone. */
async function importedFrom10(): Promise<
  TestChain & { readonly insertUpTo: (last: number) => Promise<void> }
> {
  const open = await aChain(await recordedGenesis(), { retention: 2 });
  const blocks = await decodedBlocks();
  const insertUpTo = async (last: number): Promise<void> => {
    for (const block of blocks.slice(open.chain.head().header.number + 1, last + 1))
      await open.writer.insert(block);
    await open.writer.settle();
  };
  await insertUpTo(20);
  const batch = open.store.createBatch();
  for (let number = 1; number < 10; number++)
    for (const table of [tables.body, tables.receipts, tables.senders]) batch.delete(table.key(number));
  putOldestBody(batch, 10);
  await open.store.write(batch, { sync: true });
  open.chain.forgetBodies(10);
  return { ...open, insertUpTo };
}

test("a sum below zero is kept as it is", async () => {
  await using recorded = await recordedChain();
  const { chain, store } = recorded;
  const batch = store.createBatch();
  putSupply(batch, 0, { minted: -5n, burntFees: 3n });
  await store.write(batch, { sync: false });
  await using supply = openSupply({ chain, store, pause, log: silentLog, interval: 1_000 });
  expect(await supply.totals(0)).toEqual({ minted: -5n, burntFees: 3n });
});

test("sums that cannot follow the newest one keep no old block from being pruned", async () => {
  await using open = await importedFrom10();
  const { store, chain, state } = open;
  const oldestRewind = (): number => state.figures().oldestRewind;
  const wanted = { senderHashes: false, addresses: false, blocks: 3 };
  await using followers = openFollowers({ store, chain, pause, log: silentLog, oldestRewind }, wanted);
  expect(followers.supply.next).toBe(Number.POSITIVE_INFINITY);
  await open.insertUpTo(40);
  await until(() => oldestBody(store) > 20);
  expect(await followers.supply.totals(0)).toEqual({ minted: expect.any(BigInt), burntFees: 0n });
});

test("sums that cannot follow after a rewind are waited for no more", async () => {
  await using open = await importedFrom10();
  const { store, chain } = open;
  const batch = store.createBatch();
  for (const number of [8, 16]) putSupply(batch, number, { minted: 1n, burntFees: 0n }); // as a Go node has stored them
  await store.write(batch, { sync: true });
  await using supply = openSupply({ store, chain, pause, log: silentLog, interval: 8 });
  expect(supply.next).toBe(17);
  await open.writer.exclusively(() => open.writer.setHead(19));
  expect(supply.next).toBe(17);
  const later = store.createBatch();
  putOldestBody(later, 18);
  await store.write(later, { sync: true });
  await open.writer.exclusively(() => open.writer.setHead(18));
  expect(supply.next).toBe(Number.POSITIVE_INFINITY);
});
