/** Tests of the journal of local transactions over restarts. */
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { Journal, readJournal } from "../../../node/txpool/journal.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { aPool } from "../../support/pool-open.ts";
import { ACCESS_LIST, aSigner, aTransaction, DYNAMIC_FEE } from "../../support/pool-transactions.ts";

let directory = "";
let path = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-journal-"));
  path = join(directory, "transactions.rlp");
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const rawOf = (transactions: readonly Transaction[]) =>
  hex(concatBytes(...transactions.map(({ raw }) => raw)));

async function read(maxTransaction = 100_000): Promise<string> {
  const all: Transaction[] = [];
  for await (const batch of readJournal({ path, maxTransaction, log: silentLog })) all.push(...batch);
  return rawOf(all);
}

function someTransactions(count: number): Transaction[] {
  const codes = [0, ACCESS_LIST, DYNAMIC_FEE];
  return Array.from({ length: count }, (_, nonce) =>
    aTransaction({ nonce, code: codes[nonce % 3] ?? 0, input: new Uint8Array(nonce * 7) }),
  );
}

test("what is written is read back, all kinds, whatever their lengths", async () => {
  const transactions = someTransactions(60);
  await writeFile(path, concatBytes(...transactions.map(({ raw }) => raw)));
  expect(await read()).toBe(rawOf(transactions));
  expect(await read(700)).toBe(rawOf(transactions));
});

test("a journal that is not there is empty", async () => {
  expect(await read()).toBe("");
});

test("wherever the file was cut off, all whole transactions before are read", async () => {
  const transactions = someTransactions(4);
  const last = transactions[3] as Transaction; // four were made
  const whole = concatBytes(...transactions.map(({ raw }) => raw));
  for (let cut = 1; cut <= last.raw.length; cut += 7) {
    await writeFile(path, whole);
    await truncate(path, whole.length - cut);
    expect(await read()).toBe(rawOf(transactions.slice(0, 3)));
  }
});

test.each<[string, number[]]>([
  ["zeros", Array.from({ length: 500 }, () => 0)],
  ["text", [...Buffer.from("not a transaction")]],
  ["a list of another shape", [0xc3, 1, 2, 3]],
  ["a length beyond any transaction", [0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3]],
])("reading ends where %s follows, and takes no memory for it", async (_what, damage) => {
  const transactions = someTransactions(3);
  await writeFile(path, concatBytes(...transactions.map(({ raw }) => raw)));
  await appendFile(path, Uint8Array.from(damage));
  expect(await read()).toBe(rawOf(transactions));
});

test("rotation replaces the file and leaves nothing else behind", async () => {
  await writeFile(path, "old");
  await using journal = new Journal({ path, log: silentLog });
  const [first, second, third] = someTransactions(3) as [Transaction, Transaction, Transaction];
  journal.append(first);
  await journal.rotate([first, second]);
  journal.append(third);
  expect(hex(await readFile(path))).toBe(rawOf([first, second, third]));
  await journal.rotate([third]);
  expect(hex(await readFile(path))).toBe(rawOf([third]));
  expect(await readdir(directory)).toEqual(["transactions.rlp"]);
});

test("what is appended while the file is rewritten is in the new one", async () => {
  await using journal = new Journal({ path, log: silentLog });
  const [first, second, third] = someTransactions(3) as [Transaction, Transaction, Transaction];
  await journal.rotate([]);
  const rotation = journal.rotate([first]);
  journal.append(second);
  await rotation;
  journal.append(third);
  expect(hex(await readFile(path))).toBe(rawOf([first, second, third]));
});

test("a rotation that fails leaves the journal as it was", async () => {
  await using journal = new Journal({ path, log: silentLog });
  const [first, second] = someTransactions(2) as [Transaction, Transaction];
  await journal.rotate([first]);
  await mkdir(`${path}.new`);
  await expect(journal.rotate([])).rejects.toMatchObject({ code: "EISDIR" });
  journal.append(second);
  expect(await read()).toBe(rawOf([first, second]));
});

test("local transactions come back after a restart, those of peers do not", async () => {
  const [alice, bob] = [aSigner(1), aSigner(2)];
  const own = [0, 1, 5].map((nonce) => aTransaction({ from: alice, nonce }));
  {
    await using world = await aPool({ journalPath: path });
    for (const tx of own) world.pool.add(tx, "local");
    world.pool.add(aTransaction({ from: bob }), "remote");
    world.pool.add(aTransaction({ from: alice, nonce: 6 }), "remote");
  }
  await using world = await aPool({ journalPath: path });
  expect(world.pool.status()).toEqual({ pending: 2, queued: 2 });
  expect(world.pool.nonce(bob.address)).toBe(0n);
  world.pool.add(aTransaction({ from: alice, nonce: 7 }), "remote");
  expect(hex(await readFile(path))).toContain(rawOf(own.slice(0, 1)));
});

test("executed transactions leave the journal when it is rotated", async () => {
  const chain = new FakeChain();
  const alice = aSigner(1);
  await using world = await aPool({ chain, journalPath: path });
  for (const nonce of [0, 1, 2]) world.pool.add(aTransaction({ from: alice, nonce }), "local");
  const before = (await stat(path)).size;
  chain.setAccount(alice, { nonce: 2n });
  chain.advance();
  world.time.pass(60 * 60_000);
  await world.pool[Symbol.asyncDispose]();
  expect((await stat(path)).size).toBeLessThan(before);
  expect(await read()).toBe(rawOf([aTransaction({ from: alice, nonce: 2 })]));
});

test("without locals nothing is written, and submissions have no privileges", async () => {
  await using world = await aPool({ journalPath: path, options: { noLocals: true, queuedPerAccount: 1 } });
  world.pool.add(aTransaction({ nonce: 1 }), "local");
  expect(() => world.pool.add(aTransaction({ nonce: 2 }), "local")).toThrow("txpool is full");
  expect(await readdir(directory)).toEqual([]);
});

test("senders of a journal are found in batches when the pool is given the means", async () => {
  const written = [0, 1, 2, 3, 4].map((nonce) => aTransaction({ nonce }));
  await writeFile(path, concatBytes(...written.map(({ raw }) => raw)));
  const batches: number[] = [];
  const recoverSenders = async (batch: readonly Transaction[]) => void batches.push(batch.length);
  await using world = await aPool({ journalPath: path, recoverSenders });
  expect(batches).toEqual([5]);
  expect(world.pool.status().pending).toBe(5);
});
