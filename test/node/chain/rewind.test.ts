/** The chain taken back by an operator. */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { openAddressIndex } from "../../../node/chain/address-index.ts";
import { readCursor } from "../../../node/chain/follower-cursor.ts";
import { indexedSections, putIndexedSections } from "../../../node/chain/log-index.ts";
import { openSenderHashFollower } from "../../../node/chain/sender-hashes.ts";
import { openSupply } from "../../../node/chain/supply.ts";
import { openConsensusChain } from "../../../node/compose/consensus-chain.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { type Block, decodeBlock } from "../../../node/model/block.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { createPause } from "../../../node/runtime/scheduler.ts";
import { putMigrationRecord } from "../../../node/state/migration/migration.ts";
import { tables } from "../../../node/store/tables.ts";
import { aChain, decodedBlocks, recordedGenesis, type TestChain } from "../../support/chain.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";

let blocks: readonly Block[];

beforeAll(async () => {
  blocks = await decodedBlocks();
});

function blockAt(number: number): Block {
  const block = blocks[number];
  if (block === undefined) throw new Error(`no block ${number}`);
  return block;
}

async function grow({ writer }: TestChain, last: number): Promise<void> {
  for (const block of blocks.slice(writer.tip.header.number + 1, last + 1)) await writer.insert(block);
  await writer.settle();
}

async function openRecorded(last: number): Promise<TestChain> {
  const open = await aChain(await recordedGenesis());
  await grow(open, last);
  return open;
}

async function rowCount({ store }: TestChain): Promise<number> {
  let rows = 0;
  for await (const [key] of store.entries({ from: Uint8Array.of(0), to: Uint8Array.of(255) })) {
    if (key[0] !== tables.preimage.prefix) rows++; // true for ever, whatever the chain does
  }
  return rows;
}

test("a chain goes back and forward again, and keeps no row of what was removed", async () => {
  await using open = await openRecorded(10);
  const rows = await rowCount(open);
  const { chain, writer, state } = open;
  await grow(open, 41);
  const removedBlock = Array.from({ length: 31 }, (_, i) => chain.block(11 + i)).find(
    (block) => block !== undefined && block.transactions.length > 0,
  );
  const reported: [number[], number][] = [];
  chain.onRewind((removed, head) => {
    reported.push([removed.map(({ block }) => block.header.number), head.header.number]);
    expect(removed.map(({ receipts }) => receipts.length)).toEqual(
      removed.map(({ block }) => block.transactions.length),
    );
  });
  const batch = open.store.createBatch();
  putMigrationRecord(batch, { block: 40, error: undefined });
  await open.store.write(batch, { sync: false });
  await writer.exclusively(() => writer.setHead(10));
  expect(state.migration.last).toBeUndefined();
  expect(reported).toEqual([[Array.from({ length: 31 }, (_, i) => 41 - i), 10]]);
  expect(chain.head().header.number).toBe(10);
  expect(toHex(state.root)).toBe(toHex(chain.head().header.stateRoot));
  expect(chain.block(11)).toBeUndefined();
  expect(chain.blockByHash(removedBlock?.hash ?? new Uint8Array(32))).toBeUndefined();
  const lost = removedBlock?.transactions[0]?.hash ?? new Uint8Array(32);
  expect(chain.findTransaction(lost)).toBeUndefined();
  expect(await rowCount(open)).toBe(rows);
  await state.verify();
  await grow(open, 41);
  expect(chain.findTransaction(lost)?.block.hash).toEqual(removedBlock?.hash);
  await state.verify();
});

const DERIVED = ["addressTransaction", "addressBlock", "senderNonce", "senderHash", "supply"] as const;
const SUPPLY_BLOCKS = 2;

/** Lets followers take in the chain up to its head, and ends them. */
async function deriveAll({ store, chain }: TestChain): Promise<void> {
  const deps = { store, chain, log: silentLog, pause: createPause() };
  await using followers = new AsyncDisposableStack();
  const all = [
    openAddressIndex(deps),
    openSenderHashFollower(deps),
    openSupply({ ...deps, interval: SUPPLY_BLOCKS }),
  ];
  for (const each of all) await followers.use(each).caughtUp();
}

async function derivedRows({ store }: TestChain): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = new Map<string, readonly string[]>();
  for (const name of DERIVED) {
    const found: string[] = [];
    for await (const [key, value] of store.entries(tables[name].range()))
      found.push(toHex(key) + toHex(value));
    rows.set(name, found);
  }
  return rows;
}

test("rows that are derived from removed blocks go with them where nobody follows, and are derived again", async () => {
  const folder = "test/vectors/chains/prague"; // others pay some of its fees
  await using open = await aChain(parseGenesis(readFileSync(`${folder}/genesis.json`, "utf8")));
  const { store, chain, writer } = open;
  const recorded = readRecordedChain(folder).blocks.slice(1).map(decodeBlock);
  const growTo = async (last: number): Promise<void> => {
    for (const block of recorded.slice(chain.head().header.number, last)) await writer.insert(block);
    await writer.settle();
    await deriveAll(open);
  };
  const paid = recorded.filter(({ transactions }) =>
    transactions.some(({ hash, senderTxHash }) => toHex(hash) !== toHex(senderTxHash)),
  );
  const number = (paid.at(-1)?.header.number ?? 0) - 1;
  await growTo(number);
  const before = await derivedRows(open);
  await growTo(recorded.length);
  const all = await derivedRows(open);
  for (const name of DERIVED) expect([name, all.get(name)]).not.toEqual([name, before.get(name)]);
  const batch = store.createBatch();
  putIndexedSections(batch, 1);
  await store.write(batch, { sync: false });
  await writer.exclusively(() => writer.setHead(number));
  expect(await derivedRows(open)).toEqual(before);
  expect(indexedSections(store)).toBe(0);
  for (const name of ["addressIndex", "senderHashes"] as const)
    expect([name, readCursor(store, tables.meta.key(name), number)]).toEqual([name, number + 1]);
  await growTo(recorded.length);
  expect(await derivedRows(open)).toEqual(all);
}, 60_000);

test("a cursor of another chain is of none after a rewind", async () => {
  await using open = await openRecorded(20);
  const { store, writer } = open;
  const key = tables.meta.key("addressIndex");
  const batch = store.createBatch();
  batch.put(key, Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 15]), Buffer.alloc(32, 7)]));
  await store.write(batch, { sync: false });
  await writer.exclusively(() => writer.setHead(10));
  expect(readCursor(store, key, 10)).toBe(0);
});

test("the chain opened again is the shorter one", async () => {
  await using open = await openRecorded(20);
  await open.writer.setHead(7);
  const database = { ...open, [Symbol.asyncDispose]: async () => undefined };
  const again = await openConsensusChain(database, silentLog, systemClock);
  expect(again.chain.head().header.number).toBe(7);
  await again.writer.insert(blockAt(8));
});

test("the head itself is no rewind; what is ahead or no longer kept is refused", async () => {
  await using open = await openRecorded(5);
  const { writer, chain } = open;
  chain.onRewind(() => expect("told").toBe("nothing"));
  await writer.setHead(5);
  await expect(writer.setHead(6)).rejects.toMatchObject({
    code: "no-block",
    message: "Cannot rewind to future",
  });
  const figures = { ...open.state.figures(), oldestRewind: 3 };
  Object.defineProperty(open.state, "figures", { value: () => figures });
  await expect(writer.setHead(2)).rejects.toMatchObject({
    code: "no-block",
    message: "Cannot rewind to block 2: the oldest block whose state can be restored is 3",
  });
  await grow(open, 41);
});

test("a block that breaks a rule is kept with the reason, also over a restart", async () => {
  const full = blocks.findIndex(({ transactions }) => transactions.length > 0);
  await using open = await openRecorded(full - 1);
  const { chain, writer } = open;
  const bad = blockAt(full);
  const refused = { ...bad, transactions: bad.transactions.slice(1) };
  await expect(writer.insert(refused)).rejects.toThrow("transaction root hash mismatch");
  await expect(writer.insert(refused)).rejects.toThrow("transaction root hash mismatch");
  await expect(writer.insert(blockAt(41))).rejects.toThrow("unknown ancestor");
  expect([chain.badBlocks().length, writer.refused]).toEqual([1, 2]);
  const again = await openConsensusChain(
    { ...open, [Symbol.asyncDispose]: async () => undefined },
    silentLog,
    systemClock,
  );
  const [kept] = again.chain.badBlocks();
  expect(kept?.reason).toMatch(
    /^block \d+: transaction root hash mismatch: have [0-9a-f]{64}, want [0-9a-f]{64}$/,
  );
  expect(toHex(kept?.block.hash ?? new Uint8Array(0))).toBe(toHex(bad.hash));
  await grow(open, 41);
});
