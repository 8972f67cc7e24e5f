/** Tests of the limits of the pool by account and in total. */
import { expect, test } from "@jest/globals";
import { addressText, mapKey } from "../../../node/bytes/hex.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { createEntry } from "../../../node/txpool/entry.ts";
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from "../../../node/txpool/options.ts";
import type { TxPool } from "../../../node/txpool/pool.ts";
import { PoolIndex } from "../../../node/txpool/pool-index.ts";
import { BASE_FEE_RULES, FakeChain } from "../../support/pool-chain.ts";
import { aPool, outcome } from "../../support/pool-open.ts";
import { aSigner, aTransaction, type TestSigner } from "../../support/pool-transactions.ts";

const [alice, bob, carol] = [aSigner(1), aSigner(2), aSigner(3)] as const;
const SMALL: Partial<PoolOptions> = {
  pendingPerAccount: 2,
  pendingTotal: 8,
  queuedPerAccount: 4,
  queuedTotal: 6,
};

function fill(pool: TxPool, from: TestSigner, nonces: readonly number[], price = 25): string[] {
  return nonces.map((nonce) => outcome(pool, aTransaction({ from, nonce, price })));
}

function numbersOf(list: readonly { nonce: bigint }[] = []): number[] {
  return list.map(({ nonce }) => Number(nonce));
}

function noncesOf(pool: TxPool, { address }: TestSigner): { pending: number[]; queued: number[] } {
  const { pending, queued } = pool.content();
  return {
    pending: numbersOf(pending.get(addressText(address))),
    queued: numbersOf(queued.get(addressText(address))),
  };
}

test("an account may have so many waiting; the highest nonces go, and their senders are told", async () => {
  await using world = await aPool({ options: SMALL });
  expect(fill(world.pool, alice, [5, 6, 7, 8, 9])).toEqual([
    ...Array<string>(4).fill("accepted"),
    "txpool is full: 4",
  ]);
  expect(fill(world.pool, alice, [4])).toEqual(["accepted"]);
  expect(noncesOf(world.pool, alice).queued).toEqual([4, 5, 6, 7]);
});

test("over the total of executable ones the largest account loses its highest nonces first", async () => {
  await using world = await aPool({ options: SMALL });
  fill(world.pool, alice, [0, 1, 2, 3, 4]);
  fill(world.pool, bob, [0, 1, 2]);
  expect(fill(world.pool, carol, [0, 1])).toEqual(["accepted", "accepted"]);
  expect(noncesOf(world.pool, alice).pending).toEqual([0, 1, 2]);
  expect(noncesOf(world.pool, bob).pending).toEqual([0, 1, 2]);
  expect(world.pool.nonce(alice.address)).toBe(3n);
});

test("local accounts without transactions are forgotten once there are many", () => {
  const index = new PoolIndex(DEFAULT_POOL_OPTIONS, systemClock);
  const { address } = alice;
  const facts = { key: "first", sender: address, seen: 0, time: 0 };
  index.add(createEntry(aTransaction({ from: alice }), facts));
  index.markLocal(mapKey(address));
  for (let i = 0; i < 20_000; i++) index.markLocal(`account ${i}`);
  expect(["account 0", "account 19999", mapKey(address)].map((key) => index.isLocal(key))).toEqual([
    false,
    true,
    true,
  ]);
});

test("accounts at or below their own limit, and local ones, lose nothing executable", async () => {
  await using world = await aPool({ options: { ...SMALL, queuedTotal: 100 } });
  for (let nonce = 0; nonce < 6; nonce++) world.pool.add(aTransaction({ from: alice, nonce }), "local");
  fill(world.pool, bob, [0, 1]);
  fill(world.pool, carol, [0, 1]);
  expect(world.pool.status().pending).toBe(10);
  expect(fill(world.pool, bob, [2])).toEqual(["txpool is full: 10"]);
  expect(noncesOf(world.pool, bob).pending).toEqual([0, 1]);
});

test("over the total of waiting ones the most recently active account loses first", async () => {
  await using world = await aPool({ options: SMALL });
  fill(world.pool, alice, [5, 6, 7]);
  world.time.pass(1);
  fill(world.pool, bob, [5, 6, 7]);
  world.time.pass(1);
  expect(fill(world.pool, carol, [5])).toEqual(["txpool is full: 6"]);
  expect(fill(world.pool, alice, [8])).toEqual(["accepted"]);
  expect(noncesOf(world.pool, alice).queued).toEqual([5, 6, 7, 8]);
  expect(noncesOf(world.pool, bob).queued).toEqual([5, 6]);
});

test("local accounts may have more waiting than the limits allow", async () => {
  await using world = await aPool({ options: SMALL });
  for (let nonce = 5; nonce < 15; nonce++) world.pool.add(aTransaction({ from: alice, nonce }), "local");
  expect(world.pool.status().queued).toBe(10);
});

test("a full pool takes nothing from accounts without waiting transactions, nor more from clients", async () => {
  await using world = await aPool({ options: SMALL });
  for (let nonce = 0; nonce < 14; nonce++) world.pool.add(aTransaction({ from: alice, nonce }), "local");
  expect(outcome(world.pool, aTransaction({ from: bob }))).toBe("txpool is full: 14");
  expect(outcome(world.pool, aTransaction({ from: alice, nonce: 14 }), "local")).toBe("txpool is full: 14");
});

test("while memory is short a pool counts as full", async () => {
  let short = true;
  await using world = await aPool({ options: SMALL, isShort: () => short });
  expect(fill(world.pool, alice, [0])).toEqual(["txpool is full: 0"]);
  short = false;
  expect(fill(world.pool, alice, [0, 1])).toEqual(["accepted", "accepted"]);
  short = true;
  expect(fill(world.pool, bob, [0])).toEqual(["txpool is full: 2"]);
  short = false;
  expect(fill(world.pool, bob, [0])).toEqual(["accepted"]);
});

test("in a full pool a gap is filled in place of the sender's last waiting transaction", async () => {
  await using world = await aPool({ options: { ...SMALL, pendingPerAccount: 16 } });
  const { pool } = world;
  fill(pool, bob, [0, 1, 2, 3, 4, 5, 6, 7]);
  fill(pool, carol, [5, 6]);
  fill(pool, alice, [2, 3, 4, 5]);
  expect(pool.status()).toEqual({ pending: 8, queued: 6 });
  expect(fill(pool, alice, [6])).toEqual(["txpool is full and the new tx does not have missing nonce: 14"]);
  expect(outcome(pool, aTransaction({ from: alice, nonce: 3, value: 1n }))).toBe(
    "txpool is full and the new tx does not have missing nonce: 14",
  );
  expect(fill(pool, alice, [1])).toEqual(["accepted"]);
  expect(noncesOf(pool, alice).queued).toEqual([1, 2, 3, 4]);
  expect(pool.status()).toEqual({ pending: 8, queued: 6 });
});

test("a transaction of several slots also takes the places of the cheapest, if it offers more", async () => {
  const chain = new FakeChain({ rules: BASE_FEE_RULES, baseFee: 25n });
  await using world = await aPool({ chain, options: { ...SMALL, pendingPerAccount: 16 } });
  const { pool } = world;
  fill(pool, bob, [0, 1, 2, 3, 4, 5, 6], 40);
  fill(pool, bob, [7], 30);
  fill(pool, carol, [5, 6], 40);
  fill(pool, alice, [5, 6, 7, 8], 40);
  const large = { from: alice, nonce: 4, gas: 10_000_000, input: new Uint8Array(40_000).fill(1) };
  expect(outcome(pool, aTransaction({ ...large, price: 29 }))).toBe("transaction underpriced");
  expect(pool.status()).toEqual({ pending: 8, queued: 6 });
  expect(outcome(pool, aTransaction({ ...large, price: 31 }))).toBe("accepted");
  expect(noncesOf(pool, alice).queued).toEqual([4, 5, 6, 7]);
  expect(noncesOf(pool, bob).pending).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("a local account fills its gap whatever it offers", async () => {
  const chain = new FakeChain({ rules: BASE_FEE_RULES, baseFee: 25n });
  await using world = await aPool({ chain, options: { ...SMALL, pendingPerAccount: 16 } });
  fill(world.pool, bob, [0, 1, 2, 3, 4, 5, 6, 7], 40);
  world.pool.add(aTransaction({ from: alice, nonce: 5 }), "local");
  fill(world.pool, alice, [6, 7, 8, 9, 10], 40);
  const cheap = aTransaction({ from: alice, nonce: 4, price: 25 });
  expect(outcome(world.pool, cheap)).toBe("accepted");
  expect(noncesOf(world.pool, alice).queued).toEqual([4, 5, 6, 7, 8, 9]);
});

test("a batch is taken as far as there is room for it", async () => {
  await using world = await aPool({ options: SMALL });
  const batch = Array.from({ length: 16 }, (_, nonce) => aTransaction({ from: alice, nonce }));
  const errors = world.pool.addAll(batch, "local").map((error) => error?.message);
  expect(errors.slice(0, 14)).toEqual(Array(14).fill(undefined));
  expect(errors.slice(14)).toEqual(["txpool is full", "txpool is full"]);
});

test("a batch goes on after a refused transaction and is announced at once", async () => {
  await using world = await aPool();
  const heard: number[] = [];
  world.pool.onPending((transactions) => heard.push(transactions.length));
  const batch = [aTransaction({ nonce: 1 }), aTransaction({ gas: 1 }), aTransaction({ nonce: 0 })];
  const errors = world.pool.addAll(batch, "remote");
  expect(errors.map((error) => error?.code)).toEqual([undefined, "gas-too-low", undefined]);
  expect(heard).toEqual([2]);
});

test("what a batch makes executable and loses again is not announced", async () => {
  await using world = await aPool({ options: SMALL });
  const heard: unknown[] = [];
  world.pool.onPending((transactions) => heard.push(...transactions));
  const own = Array.from({ length: 8 }, (_, nonce) => aTransaction({ from: alice, nonce }));
  const other = aTransaction({ from: bob });
  expect(world.pool.addAll([...own, other], "remote").filter(Boolean)).toEqual([]);
  expect(heard).toEqual([...own.slice(0, 7), other]);
  expect(noncesOf(world.pool, alice)).toEqual({ pending: [0, 1, 2, 3, 4, 5, 6], queued: [] });
});
