/** Rows of blocks: written step by step, their receipts kept decoded within bounds. */
import { expect, test } from "@jest/globals";
import { BlockRows, blockRowSteps, writeBlockRows } from "../../../node/chain/block-rows.ts";
import { createBlock, decodeBlock } from "../../../node/model/block.ts";
import { bloomOf } from "../../../node/model/bloom.ts";
import type { Receipt } from "../../../node/model/receipt.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { recordedBlocks } from "../../support/chain.ts";

test("a long block's rows are written in steps, between which others may run", async () => {
  const blocks = (await recordedBlocks()).map((raw) => decodeBlock(raw));
  const { header, transactions } = blocks.find((each) => each.transactions.length > 0) ?? {};
  if (header === undefined || transactions === undefined) throw new Error("no block has transactions");
  const long = createBlock(
    header,
    Array.from({ length: 200 }, () => transactions)
      .flat()
      .slice(0, 200),
  );
  await using store = createMemoryStore();
  expect([...blockRowSteps(store.createBatch(), long, [])].length).toBeGreaterThan(2);
});

test("a block is kept decoded however long it is, and its receipts too", async () => {
  const blocks = (await recordedBlocks()).slice(0, 3).map((raw) => decodeBlock(raw));
  const some = (await recordedBlocks())
    .map((raw) => decodeBlock(raw).transactions)
    .find(({ length }) => length > 0);
  if (some === undefined) throw new Error("no block has transactions");
  const [first, second] = blocks.map(({ header }) =>
    createBlock(
      header,
      Array.from({ length: 12_000 }, () => some[0] as Transaction),
    ),
  );
  await using store = createMemoryStore();
  const rows = new BlockRows(store);
  for (const block of [first, second]) if (block !== undefined) rows.remember(block);
  expect(rows.block(1)).toBe(second);
  expect(rows.block(0)).toBeUndefined();
  const batch = store.createBatch();
  if (first !== undefined) writeBlockRows(batch, first, [aReceipt(700_000)]);
  await store.write(batch, { sync: false });
  expect(rows.receipts(0)).toBe(rows.receipts(0));
});

test("as many transactions are kept decoded as the owner says", async () => {
  const [first, second] = (await recordedBlocks()).slice(0, 2).map((raw) => decodeBlock(raw));
  const some = (await recordedBlocks()).flatMap((raw) => decodeBlock(raw).transactions)[0] as Transaction;
  await using store = createMemoryStore();
  const left = (maxTransactions: number): boolean => {
    const rows = new BlockRows(store, undefined, maxTransactions);
    for (const block of [first, second])
      if (block !== undefined) rows.remember(createBlock(block.header, [some, some]));
    return rows.block(0) !== undefined;
  };
  expect([left(4), left(3)]).toEqual([true, false]);
});

test("receipts are decoded once, given up when there are many, and forgotten with their block", async () => {
  const blocks = (await recordedBlocks()).slice(0, 4).map((raw) => decodeBlock(raw));
  await using store = createMemoryStore();
  const batch = store.createBatch();
  for (const block of blocks) writeBlockRows(batch, block, [aReceipt(200_000)]);
  await store.write(batch, { sync: false });
  const rows = new BlockRows(store);
  const first = rows.receipts(1);
  expect(first).toHaveLength(1);
  expect(rows.receipts(1)).toBe(first);
  rows.receipts(2);
  expect(rows.receipts(1)).toBe(first);
  rows.receipts(3);
  const again = rows.receipts(1);
  expect([again === first, again]).toEqual([false, first]);
  rows.forgetAfter(0);
  expect(rows.receipts(1)).not.toBe(again);
});

function aReceipt(bytes: number): Receipt {
  const logs = [{ address: new Uint8Array(20), topics: [], data: new Uint8Array(bytes) }];
  const transactionHash = new Uint8Array(32);
  return { status: 1, gasUsed: 1n, bloom: bloomOf(logs), logs, transactionHash, contractAddress: undefined };
}
