/** Verification of stored blocks: what it counts, and each row that it finds wrong. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { verifyBlocks } from "../../../node/chain/verify-blocks.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { decodeStoredReceipts, encodeStoredReceipts, type Receipt } from "../../../node/model/receipt.ts";
import { createPause } from "../../../node/runtime/scheduler.ts";
import type { Rows } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import { aChain, recordedBlocks, recordedGenesis, type TestChain } from "../../support/chain.ts";

const HEAD = 30;
/** A block with transactions. */
let full: number;
let open: TestChain;

beforeAll(async () => {
  open = await aChain(await recordedGenesis());
  for (const raw of (await recordedBlocks()).slice(1, HEAD + 1)) await open.writer.insert(decodeBlock(raw));
  await open.writer.settle();
  full = numbers().findLast((number) => blockAt(number).transactions.length > 0) ?? 0;
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
});

function numbers(): readonly number[] {
  return Array.from({ length: HEAD }, (_, i) => i + 1);
}

function blockAt(number: number) {
  const block = open.chain.block(number);
  if (block === undefined) throw new Error(`no block ${number}`);
  return block;
}

function verify(rows: Rows, onBlock: (number: number) => void = () => undefined) {
  return verifyBlocks({ rows, head: HEAD, pause: createPause(), onBlock });
}

/** The rows of the chain with another row for one key; undefined for one that is missing. */
function withRow(key: Uint8Array, row: Uint8Array | undefined): Rows {
  return { get: (each) => (Buffer.compare(each, key) === 0 ? row : open.store.get(each)) };
}

test("a sound chain is counted", async () => {
  const transactions = numbers().reduce((sum, number) => sum + blockAt(number).transactions.length, 0);
  const seen: number[] = [];
  expect(await verify(open.store, (number) => void seen.push(number))).toEqual({
    blocks: HEAD + 1,
    transactions,
  });
  expect(seen).toEqual([0, ...numbers()]);
  expect(transactions).toBeGreaterThan(0);
});

test("blocks whose bodies were let go are verified by their headers", async () => {
  const pruned: Rows = {
    get: (key) => {
      if (Buffer.compare(key, tables.meta.key("bodies")) === 0) return Uint8Array.of(0, 0, 0, 0, 0, HEAD);
      const isGone = numbers()
        .slice(0, -1)
        .some((number) => Buffer.compare(key, tables.body.key(number)) === 0);
      return isGone ? undefined : open.store.get(key);
    },
  };
  expect((await verify(pruned)).blocks).toBe(2);
});

test("each row that contradicts its header is named", async () => {
  const { header, hash, transactions } = blockAt(full);
  const other = open.store.get(tables.header.key(full - 1));
  const receipts = decodeStoredReceipts(open.store.get(tables.receipts.key(full)) ?? new Uint8Array());
  const renamed = (name: Partial<Receipt>): Uint8Array =>
    encodeStoredReceipts(receipts.map((receipt) => ({ ...receipt, ...name })));
  const cases: readonly (readonly [key: Uint8Array, row: Uint8Array | undefined, message: string])[] = [
    [tables.header.key(full), undefined, "its header cannot be found"],
    [tables.header.key(full), Uint8Array.of(1), "its header cannot be read"],
    [tables.header.key(full), other, `its header is not that of a child of block ${full - 1}`],
    [tables.blockNumber.key(hash), undefined, "its hash does not lead to it"],
    [tables.body.key(full), undefined, "its body cannot be found"],
    [tables.body.key(full), Uint8Array.of(0xc0), "its body has another root than its header"],
    [tables.receipts.key(full), undefined, "its receipts cannot be found"],
    [tables.receipts.key(full), encodeStoredReceipts([]), "its receipts have another root than its header"],
    [
      tables.receipts.key(full),
      renamed({ transactionHash: new Uint8Array(32) }),
      "its receipts are those of other transactions",
    ],
    [
      tables.receipts.key(full),
      renamed({ contractAddress: new Uint8Array(20).fill(1) }),
      "its receipts name another contract than a transaction creates",
    ],
    [
      tables.lookup.key(transactions[0]?.hash ?? new Uint8Array()),
      new Uint8Array(10),
      "its transaction 0 is not found by its hash",
    ],
  ];
  for (const [key, row, message] of cases)
    await expect(verify(withRow(key, row))).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining(`block ${header.number}: ${message}`),
    });
});
