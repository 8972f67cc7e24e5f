/** Bodies and receipts of old blocks are pruned (`--history.blocks`). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { feeHistory } from "../../../node/calls/fee-history.ts";
import { searchLogs } from "../../../node/calls/log-search.ts";
import { chainLogSource, storeLogSource } from "../../../node/calls/log-source.ts";
import type { BlockFollower } from "../../../node/chain/block-follower.ts";
import { openBlockPruner } from "../../../node/chain/block-pruner.ts";
import { settleDamage } from "../../../node/chain/continuity.ts";
import { exportBlocks } from "../../../node/chain/exporter.ts";
import { openFollowers } from "../../../node/chain/followers.ts";
import { oldestBody } from "../../../node/chain/kept-blocks.ts";
import { createRawBlocks } from "../../../node/chain/raw-blocks.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { importInto, openConsensusChain } from "../../../node/compose/consensus-chain.ts";
import { openRecoverer } from "../../../node/crypto/recoverer.ts";
import { errorOf } from "../../../node/jsonrpc/errors.ts";
import type { Block } from "../../../node/model/block.ts";
import { decodeBlock, encodeBlock } from "../../../node/model/block.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { createPause } from "../../../node/runtime/scheduler.ts";
import type { Store } from "../../../node/store/store.ts";
import { tables } from "../../../node/store/tables.ts";
import {
  aChain,
  decodedBlocks,
  recordedBlocks,
  recordedGenesis,
  type TestChain,
} from "../../support/chain.ts";
import { until } from "../../support/until.ts";

const KEPT = 6;
/** As if no more than this could be taken back. */
const WINDOW = 4;
const HEAD = 24;
/** The first block that stays. */
const OLDEST = HEAD - KEPT + 1;
const BY_NUMBER = [tables.body, tables.receipts, tables.senders];

let directory: string;
let raws: Uint8Array[];
let before: Block[];
let pruned: TestChain;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-pruner-"));
  raws = await recordedBlocks();
  pruned = await openRecorded();
  before = Array.from({ length: HEAD + 1 }, (_, number) => pruned.chain.block(number) as Block); // just imported
  await using pruner = prune(pruned);
  await pruner.caughtUp();
});
afterAll(async () => {
  await pruned[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function openRecorded(): Promise<TestChain> {
  const open = await aChain(await recordedGenesis(), { retention: WINDOW });
  for (const block of (await decodedBlocks()).slice(1, HEAD + 1)) await open.writer.insert(block);
  await open.writer.settle();
  return open;
}

function prune({ store, chain, state }: TestChain, blocks = KEPT): BlockFollower {
  const needed = (): number => state.figures().oldestRewind;
  return openBlockPruner({ store, chain, blocks, oldestNeeded: needed, log: silentLog });
}

/** The same chain without decoded blocks in memory. */
function reopen(open: TestChain): ReturnType<typeof openConsensusChain> {
  return openConsensusChain(
    { ...open, [Symbol.asyncDispose]: async () => undefined },
    silentLog,
    systemClock,
  );
}

async function numbersIn(store: Store, table: (typeof BY_NUMBER)[number]): Promise<number[]> {
  const numbers: number[] = [];
  for await (const [key] of store.entries(table.range())) numbers.push(Buffer.from(key).readUIntBE(1, 6));
  return numbers;
}

test("what is older goes, headers, block 0 and the rest stay", async () => {
  const { store } = pruned;
  for (const table of BY_NUMBER) {
    expect((await numbersIn(store, table)).filter((number) => number > 0 && number < OLDEST)).toEqual([]);
  }
  const { chain } = await reopen(pruned);
  for (const { header, hash, transactions } of before) {
    const { number } = header;
    const isKept = number === 0 || number >= OLDEST;
    expect(chain.header(number)).toMatchObject({ header, hash });
    expect(chain.number(hash)).toBe(number);
    if (isKept) expect(chain.block(number)?.hash).toEqual(hash);
    else expect(() => chain.block(number)).toThrow("pruned history unavailable");
    for (const tx of transactions) expect(chain.findTransaction(tx.hash) !== undefined).toBe(isKept);
  }
  expect(before.some(({ header, transactions }) => header.number < OLDEST && transactions.length > 0)).toBe(
    true,
  );
  await pruned.state.verify();
});

/** Answer or error for a client. */
function resultOf(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    return errorOf(error, () => undefined);
  }
}

test("clients are told with geth's code, and where the history begins", async () => {
  const { chain } = await reopen(pruned);
  const answer = {
    code: 4444,
    message: "pruned history unavailable",
    data: `{"oldestBlock":"0x${OLDEST.toString(16)}"}`,
  };
  expect(resultOf(() => chain.block(OLDEST - 1))).toEqual(answer);
  expect(resultOf(() => chain.receipts(OLDEST - 1))).toEqual(answer);
  expect(resultOf(() => pruned.chain.block(OLDEST - 1))).toEqual(answer); // which it had decoded before
  const terms = { maxLogs: 0, maxRange: 0 };
  const search = (from: number, to: number): object[] =>
    searchLogs(chainLogSource(chain), { addresses: [], topics: [], from, to } as never, terms);
  expect(resultOf(() => search(0, HEAD))).toEqual(answer);
  expect(resultOf(() => search(OLDEST - 1, OLDEST - 1))).toEqual(answer);
  expect([search(0, 0), search(OLDEST, HEAD)]).toEqual([[], []]);
  expect(storeLogSource(pruned.store).oldest).toBe(OLDEST);
  const fees = { count: HEAD, newest: HEAD, percentiles: [] };
  expect(await feeHistory({ chain, ...rpcProfiles.service.options }, fees)).toContain('"oldestBlock":"0x1"');
  expect(
    resultOf(() => feeHistory({ chain, ...rpcProfiles.service.options }, { ...fees, percentiles: [50] })),
  ).toEqual(answer);
});

test("peers get headers, and no bodies or receipts of what is gone", async () => {
  const raw = createRawBlocks(pruned.store, (await reopen(pruned)).chain);
  expect([raw.header(5), raw.body(5), raw.receipts(5)]).toEqual([
    pruned.store.get(tables.header.key(5)),
    undefined,
    undefined,
  ]);
  expect(raw.body(OLDEST)).toBeDefined();
});

test("an export names the first block that can be had", async () => {
  const disk = { shortage: async () => undefined };
  const source = { rows: pruned.store, head: HEAD, pause: createPause(), disk };
  const { signal } = new AbortController();
  const order = (first: number, last: number) => ({
    file: join(directory, `${first}.rlp`),
    first,
    last,
    signal,
  });
  const from = (number: number): string =>
    `export failed on #${number}: not found: its body was pruned, the first whole block after block 0 is ${OLDEST}`;
  await expect(exportBlocks(source, order(0, HEAD))).rejects.toThrow(from(1));
  await expect(exportBlocks(source, order(7, OLDEST))).rejects.toThrow(from(7));
  expect(await exportBlocks(source, order(OLDEST, HEAD))).toBe(KEPT);
  expect(await exportBlocks(source, order(0, 0))).toBe(1);
});

test("a file with all blocks is taken: those without a body are checked anew, another block is refused", async () => {
  await using recoverer = openRecoverer(silentLog);
  const open = await reopen(pruned);
  const parts = (blocks: readonly Uint8Array[]) => ({ recoverer, clock: systemClock, files: fileOf(blocks) });
  expect(await importInto(open, parts(raws.slice(0, HEAD + 1)), {})).toMatchObject({
    blocks: HEAD + 1,
    imported: 0,
    failure: undefined,
  });
  const emptied = before.find(
    ({ header, transactions }) => header.number < OLDEST && transactions.length > 0,
  );
  if (emptied === undefined) throw new Error("no block with transactions");
  const { failure } = await importInto(open, parts([encodeBlock({ ...emptied, transactions: [] })]), {});
  expect(failure?.message).toMatch(/transaction root hash mismatch/);
});

async function* fileOf(blocks: readonly Uint8Array[]) {
  for (const [index, raw] of blocks.entries()) yield { raw, index, offset: 0, bytesRead: 0 };
}

test("damage elsewhere is settled, and what came back in a crash is dropped again", async () => {
  await using open = await openRecorded();
  const { store } = open;
  const old = { body: store.get(tables.body.key(5)), receipts: store.get(tables.receipts.key(5)) };
  {
    await using pruner = prune(open);
    await pruner.caughtUp();
  }
  const damaged = Object.assign(Object.create(store) as Store, { damage: "a record" });
  for (const name of ["get", "write", "createBatch", "entries", "bytesIn", "compact"] as const) {
    Object.assign(damaged, { [name]: store[name].bind(store) });
  }
  Object.assign(damaged, { dismissDamage: () => Promise.resolve() });
  await settleDamage(damaged, HEAD, silentLog, () => Promise.resolve());
  const batch = store.createBatch();
  batch.put(tables.body.key(5), old.body ?? new Uint8Array(0));
  batch.put(tables.receipts.key(5), old.receipts ?? new Uint8Array(0));
  await store.write(batch, { sync: false });
  await using pruner = prune({ ...open, store: damaged });
  await pruner.caughtUp();
  expect([store.get(tables.body.key(5)), oldestBody(store)]).toEqual([undefined, OLDEST]);
});

test("however few are asked for, what can be taken back stays", async () => {
  await using open = await openRecorded();
  await using pruner = prune(open, 1);
  await pruner.caughtUp();
  expect(open.chain.oldestBody()).toBe(HEAD - WINDOW);
  await open.writer.exclusively(() => open.writer.setHead(HEAD - WINDOW));
  expect((await reopen(open)).chain.head().header.number).toBe(HEAD - WINDOW);
});

test("blocks that are not summed up yet stay, and the rest goes as blocks come", async () => {
  await using open = await openRecorded();
  const { store, chain, state } = open;
  const parts = { store, chain, pause: createPause(), log: silentLog };
  const oldestRewind = (): number => state.figures().oldestRewind;
  await using followers = openFollowers(
    { ...parts, oldestRewind },
    { senderHashes: true, addresses: false, blocks: KEPT },
  );
  expect((await followers.supply.totals(HEAD))?.minted).toBeGreaterThan(0n);
  expect([followers.supply.next, chain.oldestBody()]).toEqual([1, 1]);
  let needed = 7;
  await using pruner = openBlockPruner({ ...parts, blocks: 5, oldestNeeded: () => needed });
  await pruner.caughtUp();
  expect(chain.oldestBody()).toBe(7);
  needed = 9;
  pruner.wake();
  await pruner.caughtUp();
  expect(chain.oldestBody()).toBe(9);
  needed = HEAD;
  await open.writer.insert(decodeBlock(raws[HEAD + 1] ?? new Uint8Array(0)));
  await open.writer.settle();
  await pruner.caughtUp();
  expect(chain.oldestBody()).toBe(HEAD + 1 - 4);
});

test("what is let go of waits for those that read it, not for another block", async () => {
  await using open = await openRecorded();
  const { store, chain, state } = open;
  const parts = { store, chain, pause: createPause(), log: silentLog, interval: 4 };
  const oldestRewind = (): number => state.figures().oldestRewind;
  await using followers = openFollowers(
    { ...parts, oldestRewind },
    { senderHashes: true, addresses: false, blocks: KEPT },
  );
  expect([followers.supply.next, chain.oldestBody()]).toEqual([1, 1]);
  await until(() => chain.oldestBody() === OLDEST);
});

test("a damaged body goes like any other", async () => {
  await using open = await openRecorded();
  const batch = open.store.createBatch();
  batch.put(tables.body.key(6), Uint8Array.of(0xc2, 0x80));
  await open.store.write(batch, { sync: false });
  await using pruner = prune(open);
  await pruner.caughtUp();
  expect([oldestBody(open.store), open.store.get(tables.body.key(6))]).toEqual([OLDEST, undefined]);
});
