/** Blocks of files on their way into the chain: known ones, foreign ones, damaged ones, early ones. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";
import { frameBlocks } from "../../../node/chain/block-file.ts";
import type { ImportOptions, ImportOutcome } from "../../../node/chain/importer.ts";
import { importInto } from "../../../node/compose/consensus-chain.ts";
import { openRecoverer } from "../../../node/crypto/recoverer.ts";
import { decodeBlock, encodeBlock } from "../../../node/model/block.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { type Clock, systemClock } from "../../../node/runtime/clock.ts";
import { aChain, recordedBlocks, recordedGenesis, type TestChain } from "../../support/chain.ts";

let blocks: Uint8Array[];

const recoverer = openRecoverer(silentLog);

beforeAll(async () => {
  blocks = await recordedBlocks();
});
afterAll(async () => recoverer[Symbol.asyncDispose]());

interface Given extends ImportOptions {
  readonly clock?: Clock;
}

async function importBytes(
  open: TestChain,
  file: readonly Uint8Array[],
  { clock = systemClock, ...options }: Given = {},
): Promise<ImportOutcome> {
  const bytes = concatBytes(...file);
  const files = frameBlocks([{ bytes, used: bytes.length }]);
  return await importInto(open, { recoverer, clock, files }, options);
}

async function openRecorded(): Promise<TestChain> {
  return aChain(await recordedGenesis());
}

/** Block `number` with something changed in its header. */
function changeBlock(number: number, change: object): Uint8Array {
  const block = decodeBlock(blocks[number] ?? new Uint8Array(0));
  return encodeBlock({ ...block, header: { ...block.header, ...change } });
}

const ended = { interrupted: false, failure: undefined };

test("a file goes in block after block, and again without anything to do", async () => {
  await using open = await openRecorded();
  const numbers: number[] = [];
  const first = await importBytes(open, blocks, { onProgress: ({ number }) => numbers.push(number) });
  expect(first).toMatchObject({ ...ended, blocks: 42, imported: 41, number: 41 });
  expect(numbers).toEqual(blocks.map((_, number) => number));
  expect(open.chain.head().header.number).toBe(41);
  const again = await importBytes(open, blocks);
  expect(again).toMatchObject({ ...ended, blocks: 42, imported: 0, transactions: 0, number: 41 });
});

test("nothing is taken while the disk is nearly full, and all of it later", async () => {
  const disk = { isLow: false };
  await using open = await aChain(await recordedGenesis(), { disk });
  await importBytes(open, blocks.slice(0, 3));
  disk.isLow = true;
  const { failure, number } = await importBytes(open, blocks);
  expect([number, failure]).toMatchObject([
    2,
    {
      code: "no-room",
      message: expect.stringMatching(/^block 3: disk is nearly full: no blocks are written/),
    },
  ]);
  expect(open.chain.badBlocks()).toEqual([]);
  disk.isLow = false;
  expect(await importBytes(open, blocks)).toMatchObject({ ...ended, imported: 39, number: 41 });
});

test("an import goes on where it was", async () => {
  await using open = await openRecorded();
  await importBytes(open, blocks.slice(0, 20));
  expect(await importBytes(open, blocks)).toMatchObject({ ...ended, blocks: 42, imported: 22 });
});

test("the same block in another round is the same block", async () => {
  await using open = await openRecorded();
  await importBytes(open, blocks.slice(0, 10));
  const extra = Uint8Array.from(decodeBlock(blocks[5] ?? new Uint8Array(0)).header.extra);
  extra[31] = 3;
  expect(await importBytes(open, [changeBlock(5, { extra })])).toMatchObject({ ...ended, imported: 0 });
});

test("another block of a number that is there is refused with both hashes", async () => {
  await using open = await openRecorded();
  await importBytes(open, blocks.slice(0, 10));
  const other = changeBlock(5, { time: 1 });
  const hashes = `the chain has ${hashOf(blocks[5])}, the file ${hashOf(other)}`;
  const place = `(block 0 of the file, at byte 0, ${other.length} bytes long)`;
  expect((await importBytes(open, [other])).failure).toMatchObject({
    code: "genesis-mismatch",
    message: `block 5: another block of this number is in the chain, and blocks are final: ${hashes} ${place}`,
  });
  const genesis = await importBytes(open, [changeBlock(0, { time: 1 })]);
  expect(genesis.failure?.message).toMatch(/^block 0: genesis mismatch: the file is of another chain: /);
});

function hashOf(raw: Uint8Array | undefined): string {
  return toHex(decodeBlock(raw ?? new Uint8Array(0)).hash);
}

function short(raw: Uint8Array | undefined): string {
  return `${bareHex(decodeBlock(raw ?? new Uint8Array(0)).hash.subarray(0, 4))}…`;
}

test("a gap between blocks is told in the Go node's words, one before the file as an unknown ancestor", async () => {
  await using open = await openRecorded();
  const gap = await importBytes(open, [...blocks.slice(0, 3), ...blocks.slice(4)]);
  const items = `item 2 is #2 [${short(blocks[2])}], item 3 is #4 [${short(blocks[4])}]`;
  expect(gap.failure?.message).toContain(
    `block 4: non contiguous insert: ${items} (parent [${short(blocks[3])}])`,
  );
  expect(gap).toMatchObject({ imported: 2, number: 2 });
  expect((await importBytes(open, blocks.slice(9))).failure).toMatchObject({
    code: "bad-block",
    message: expect.stringMatching(/^block 9: unknown ancestor: parent /),
  });
});

test("a refused block is named with its place, and those before it stay", async () => {
  await using open = await openRecorded();
  const bad = changeBlock(7, { gasUsed: 1n, stateRoot: new Uint8Array(32) });
  const outcome = await importBytes(open, [...blocks.slice(0, 7), bad, ...blocks.slice(8)]);
  const at = blocks.slice(0, 7).reduce((sum, { length }) => sum + length, 0);
  expect(outcome.failure?.message).toMatch(
    new RegExp(`^block 7: .* \\(block 7 of the file, at byte ${at}, ${bad.length} bytes long\\)$`),
  );
  expect(outcome).toMatchObject({ blocks: 7, imported: 6, number: 6 });
  expect(open.chain.head().header.number).toBe(6);
  expect(toHex(open.state.root)).toBe(toHex(decodeBlock(blocks[6] ?? new Uint8Array(0)).header.stateRoot));
  expect(await importBytes(open, blocks)).toMatchObject({ ...ended, imported: 35 });
});

test("a block that cannot be read is told by block and byte, after those before it were taken", async () => {
  await using open = await openRecorded();
  const broken = Uint8Array.from(blocks[3] ?? []);
  broken[5] = 0x81; // the length of the parent's hash
  const outcome = await importBytes(open, [...blocks.slice(1, 3), broken]);
  const at = (blocks[1]?.length ?? 0) + (blocks[2]?.length ?? 0);
  expect(outcome.failure?.message).toMatch(
    new RegExp(`^block 2: failed to parse: .* \\(at byte ${at}, ${broken.length} bytes long\\)$`),
  );
  expect(open.chain.head().header.number).toBe(2);
});

test("a block far ahead of the clock is refused, one a little ahead is waited for", async () => {
  await using open = await openRecorded();
  const { time } = decodeBlock(blocks[1] ?? new Uint8Array(0)).header;
  const early = await importBytes(open, [changeBlock(1, { time: 9e9 })]);
  expect(early.failure?.message).toMatch(/^block 1: future block: 9000000000 > \d+ \(block 0 of the file/);
  let now = time * 1000 - 1_050;
  const clock = { now: () => (now += 10) };
  expect(await importBytes(open, blocks.slice(1, 2), { clock })).toMatchObject({ ...ended, imported: 1 });
  const stopped = AbortSignal.timeout(20);
  const waiting = { clock: { now: () => (time - 25) * 1000 }, signal: stopped };
  expect(await importBytes(open, blocks.slice(2, 3), waiting)).toMatchObject({
    interrupted: true,
    failure: undefined,
    imported: 0,
  });
});

test("an interrupted import ends behind a block and is whole", async () => {
  await using open = await openRecorded();
  const controller = new AbortController();
  const onProgress = ({ number }: { number: number }): void => {
    if (number === 12) controller.abort();
  };
  const outcome = await importBytes(open, blocks, { signal: controller.signal, onProgress });
  expect(outcome).toMatchObject({ interrupted: true, failure: undefined, imported: 12, number: 12 });
  expect(open.chain.head().header.number).toBe(12);
});
