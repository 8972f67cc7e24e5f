/** Tests of the record of bad blocks. */
import { beforeAll, expect, test } from "@jest/globals";
import { BadBlocks } from "../../../node/chain/bad-blocks.ts";
import { type Block, createBlock, decodeBlock } from "../../../node/model/block.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { tables } from "../../../node/store/tables.ts";
import { recordedBlocks } from "../../support/chain.ts";

let sample: Block;

beforeAll(async () => {
  sample = decodeBlock((await recordedBlocks())[3] ?? new Uint8Array(0));
});

/** Another block for each time. */
const aBlock = (number: number, time = 1): Block => createBlock({ ...sample.header, number, time }, []);
const numbers = (list: BadBlocks): number[] => list.all().map(({ block }) => block.header.number);

test("the highest numbers come first and stay when there is no room for all", async () => {
  const store = createMemoryStore();
  const list = new BadBlocks(store, silentLog, { blocks: 3, bytes: 1e6 });
  for (const number of [5, 9, 1, 7, 2, 9]) list.add(aBlock(number), `reason ${number}`);
  list.add(aBlock(9, 2), "another one");
  expect(numbers(list)).toEqual([9, 9, 7]);
  expect(list.all()[0]?.reason).toBe("reason 9");
  expect(numbers(new BadBlocks(store, silentLog))).toEqual([9, 9, 7]);
  await store.write(store.createBatch(), { sync: true });
  let rows = 0;
  for await (const _ of store.entries(tables.badBlock.range())) rows++;
  expect(rows).toBe(3);
});

test("bytes are bounded too, and reasons cut", () => {
  const list = new BadBlocks(createMemoryStore(), silentLog, { blocks: 10, bytes: 4_500 });
  for (let number = 1; number < 30; number++) list.add(aBlock(number), "x".repeat(5_000));
  expect(numbers(list)).toEqual([29, 28]);
  expect(list.all()[0]?.reason).toBe("x".repeat(1_000));
  const huge = createBlock({ ...sample.header, number: 50, governance: new Uint8Array(6_000) }, []);
  list.add(huge, "too large");
  expect(numbers(list)).toEqual([29, 28]);
});

test("a write that fails is no failure of the chain", async () => {
  const store = createMemoryStore();
  const failing = Object.assign(Object.create(store), {
    get: () => undefined,
    createBatch: () => store.createBatch(),
    write: () => Promise.reject(new Error("disk full")),
  });
  new BadBlocks(failing, silentLog).add(aBlock(1), "reason");
  await Promise.resolve();
});
