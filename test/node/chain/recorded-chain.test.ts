/** Blocks that a Go node wrote, one by one and with damage in them. */
import { beforeAll, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { rawBlock } from "../../../node/chain/block-rows.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import {
  aChain,
  recordedBlocks,
  recordedGenesis,
  recordedJson,
  type TestChain,
} from "../../support/chain.ts";
import { seededRandom } from "../../support/random.ts";

let blocks: Uint8Array[];
const mutations = Number(process.env["KNIT_MUTATIONS"] ?? 20);

beforeAll(async () => {
  blocks = await recordedBlocks();
});

async function openRecorded(): Promise<TestChain> {
  return aChain(await recordedGenesis());
}

async function insertRaw({ writer }: TestChain, raw: Uint8Array): Promise<void> {
  await writer.insert(decodeBlock(raw));
}

test("every block is taken, and hashes, roots and bytes are the recorded ones", async () => {
  await using open = await openRecorded();
  const recorded =
    await recordedJson<{ hash: string; stateRoot: string; receiptsRoot: string }[]>("blocks.json.gz");
  for (const raw of blocks.slice(1)) await insertRaw(open, raw);
  await open.writer.settle();
  expect(open.chain.head().header.number).toBe(41);
  for (const [number, { hash, stateRoot, receiptsRoot }] of recorded.entries()) {
    const block = open.chain.block(number);
    expect(block && toHex(block.hash)).toBe(hash);
    expect(block && toHex(block.header.stateRoot)).toBe(stateRoot);
    expect(block && toHex(block.header.receiptsRoot)).toBe(receiptsRoot);
    expect(rawBlock(open.store, number)).toEqual(blocks[number]);
  }
  expect(toHex(open.state.root)).toBe(recorded[41]?.stateRoot);
});

/** Position of the round in a block, to which nothing commits. */
function roundPosition(raw: Uint8Array): number {
  const { extra } = decodeBlock(raw).header;
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).indexOf(extra) + 31;
}

test("a changed byte anywhere but in the round is refused, and nothing is changed by it", async () => {
  await using open = await openRecorded();
  const random = seededRandom(3);
  for (const [number, raw] of blocks.entries()) {
    if (number === 0) continue;
    const round = roundPosition(raw);
    for (let i = 0; i < mutations; i++) {
      const headerOnly = i % 2 === 0 ? Math.min(raw.length, 800) : raw.length;
      const at = Math.floor(random() * headerOnly);
      if (at === round) continue;
      const changed = Uint8Array.from(raw);
      changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      const before = open.state.root;
      await expect(insertRaw(open, changed)).rejects.toMatchObject({ code: expect.any(String) });
      expect(open.state.root).toEqual(before);
      expect(open.writer.tip.header.number).toBe(number - 1);
    }
    await insertRaw(open, raw);
  }
  await open.writer.settle();
  expect(toHex(open.state.root)).toBe(toHex(decodeBlock(blocks[41] ?? new Uint8Array(0)).header.stateRoot));
}, 120_000);

test("a block that spends what is not there is refused by name", async () => {
  await using open = await openRecorded();
  await expect(insertRaw(open, blocks[5] ?? new Uint8Array(0))).rejects.toMatchObject({
    code: "bad-block",
    block: 5,
    message: expect.stringMatching(/^block 5: unknown ancestor/),
  });
});

test("nobody sees a block before it is synced", async () => {
  await using open = await openRecorded();
  const heads: number[] = [];
  open.chain.onHead((block) => heads.push(block.header.number));
  await insertRaw(open, blocks[1] ?? new Uint8Array(0));
  await insertRaw(open, blocks[2] ?? new Uint8Array(0));
  const second = decodeBlock(blocks[2] ?? new Uint8Array(0));
  expect(open.chain.head().header.number).toBe(0);
  expect(open.chain.block(2)).toBeUndefined();
  expect(open.chain.blockByHash(second.hash)).toBeUndefined();
  expect(open.chain.receipts(2)).toBeUndefined();
  expect(heads).toEqual([]);
  await open.writer.settle();
  expect(open.chain.blockByHash(second.hash)?.header.number).toBe(2);
  expect(heads).toEqual([1, 2]);
});

test("who begins to listen hears of the blocks after that", async () => {
  await using open = await openRecorded();
  await insertRaw(open, blocks[1] ?? new Uint8Array(0));
  await insertRaw(open, blocks[2] ?? new Uint8Array(0));
  const heads: number[] = [];
  open.chain.onHead((block) => heads.push(block.header.number));
  await insertRaw(open, blocks[3] ?? new Uint8Array(0));
  await open.writer.settle();
  expect(heads.slice(-1)).toEqual([3]);
  expect(heads).not.toContain(1);
  expect(open.chain.head().header.number).toBe(3);
});
