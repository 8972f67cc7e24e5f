/** Tests of the transaction pool: promotion, replacement, new heads, lifetime. */
import { expect, test } from "@jest/globals";
import { addressText } from "../../../node/bytes/hex.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { BASE_FEE_RULES, FakeChain } from "../../support/pool-chain.ts";
import { aPool, outcome } from "../../support/pool-open.ts";
import {
  ACCESS_LIST,
  aSigner,
  aTransaction,
  type TestSigner,
  withChanges,
} from "../../support/pool-transactions.ts";

const alice = aSigner(1);
const bob = aSigner(2);
const TAKEN = "there is another tx which has the same nonce in the tx pool";

function withBaseFee(baseFee = 25n): FakeChain {
  return new FakeChain({ rules: BASE_FEE_RULES, baseFee });
}

function from(signer: TestSigner, nonces: readonly number[], price = 25): Transaction[] {
  return nonces.map((nonce) => aTransaction({ from: signer, nonce, price }));
}

test("the next nonce is executable at once, later ones wait for the gap to close", async () => {
  await using world = await aPool();
  const { pool } = world;
  const [first, second, third] = from(alice, [0, 1, 2]) as [Transaction, Transaction, Transaction];
  pool.add(first, "remote");
  pool.add(third, "remote");
  expect(pool.status()).toEqual({ pending: 1, queued: 1 });
  expect(pool.nonce(alice.address)).toBe(1n);
  pool.add(second, "remote");
  expect(pool.status()).toEqual({ pending: 3, queued: 0 });
  expect(pool.nonce(alice.address)).toBe(3n);
  expect(pool.get(second.hash)).toBe(second);
  expect(pool.get(new Uint8Array(32))).toBeUndefined();
});

test("content lists accounts with their transactions by nonce", async () => {
  await using world = await aPool();
  const { pool } = world;
  const [a0, a1, a5, b7] = [...from(alice, [0, 1, 5]), ...from(bob, [7])];
  for (const tx of [a5, b7, a1, a0]) if (tx) pool.add(tx, "remote");
  const { pending, queued } = pool.content();
  expect([...pending]).toEqual([[addressText(alice.address), [a0, a1]]]);
  expect(queued.get(addressText(alice.address))).toEqual([a5]);
  expect(queued.get(addressText(bob.address))).toEqual([b7]);
  expect(queued.size).toBe(2);
});

test("a transaction is taken once", async () => {
  await using world = await aPool();
  const tx = aTransaction();
  world.pool.add(tx, "remote");
  const digits = Buffer.from(tx.hash).toString("hex");
  expect(outcome(world.pool, tx)).toBe(`known transaction: ${digits}`);
});

test("before there is a base fee nothing takes the place of another", async () => {
  await using world = await aPool();
  world.pool.add(aTransaction(), "remote");
  expect(outcome(world.pool, aTransaction({ value: 1n }))).toBe(TAKEN);
});

test("with a base fee only a higher price takes the place of another, executable or waiting", async () => {
  await using world = await aPool({ chain: withBaseFee() });
  const { pool } = world;
  for (const nonce of [0, 5]) {
    const old = aTransaction({ nonce, price: 30 });
    pool.add(old, "remote");
    expect(outcome(pool, aTransaction({ nonce, price: 30, value: 1n }))).toBe(TAKEN);
    const better = aTransaction({ nonce, price: 31 });
    pool.add(better, "remote");
    expect(pool.get(old.hash)).toBeUndefined();
    expect(pool.get(better.hash)).toBe(better);
  }
  expect(pool.status()).toEqual({ pending: 1, queued: 1 });
});

test("a kind that replaces at any price does so, and the row says it", async () => {
  await using world = await aPool();
  const old = aTransaction();
  world.pool.add(old, "remote");
  const plain = aTransaction({ value: 1n });
  const type = { ...plain.type, replacesAnyPrice: true };
  world.pool.add(withChanges(plain, { type }), "remote");
  expect(world.pool.get(old.hash)).toBeUndefined();
  expect(world.pool.status()).toEqual({ pending: 1, queued: 0 });
});

test("listeners hear what becomes executable, replacements included, until they stop listening", async () => {
  await using world = await aPool({ chain: withBaseFee() });
  const { pool } = world;
  const heard: Transaction[][] = [];
  const stop = pool.onPending((transactions) => heard.push([...transactions]));
  const [first, second, third] = from(alice, [0, 1, 2]) as [Transaction, Transaction, Transaction];
  const better = aTransaction({ from: alice, nonce: 2, price: 26 });
  for (const tx of [second, third, first, better]) pool.add(tx, "remote");
  expect(heard).toEqual([[first, second, third], [better]]);
  stop();
  pool.add(aTransaction({ nonce: 3 }), "remote");
  expect(heard).toHaveLength(2);
});

test("the proposer gets the better price first and each account by nonce", async () => {
  await using world = await aPool({ chain: withBaseFee() });
  const { pool } = world;
  const [a0, b0] = [...from(alice, [0], 30), ...from(bob, [0], 40)];
  const a1 = aTransaction({ from: alice, nonce: 1, price: 50 });
  for (const tx of [a0, a1, b0]) if (tx) pool.add(tx, "remote");
  const order = pool.byPrice(25n);
  const taken: unknown[] = [];
  for (let next = order.peek(); next; next = order.peek()) {
    taken.push(next);
    order.shift();
  }
  expect(taken).toEqual([b0, a0, a1]);
});

test("executed transactions leave with the block, what follows them becomes executable", async () => {
  await using world = await aPool();
  const { pool, chain } = world;
  for (const tx of from(alice, [0, 1, 3])) pool.add(tx, "remote");
  chain.setAccount(alice, { nonce: 3n });
  const heard: number[] = [];
  pool.onPending((transactions) => heard.push(...transactions.map(({ nonce }) => Number(nonce))));
  chain.advance();
  expect(pool.status()).toEqual({ pending: 1, queued: 0 });
  expect(heard).toEqual([3]);
});

test("a transaction that its sender can no longer pay leaves, what followed it waits", async () => {
  await using world = await aPool();
  const { pool, chain } = world;
  const dear = aTransaction({ from: alice, nonce: 1, value: 10n ** 20n });
  for (const tx of [...from(alice, [0, 2]), dear]) pool.add(tx, "remote");
  chain.setAccount(alice, { balance: 10n ** 19n });
  chain.advance();
  expect(pool.get(dear.hash)).toBeUndefined();
  expect(pool.status()).toEqual({ pending: 1, queued: 1 });
});

test("a waiting transaction that can no longer be paid leaves too", async () => {
  await using world = await aPool();
  world.pool.add(aTransaction({ from: alice, nonce: 4, value: 10n ** 20n }), "remote");
  world.chain.setAccount(alice, { balance: 10n ** 19n });
  world.chain.advance();
  expect(world.pool.status()).toEqual({ pending: 0, queued: 0 });
});

test("when the base fee rises what pays less waits with all after it, and returns when it falls", async () => {
  await using world = await aPool({ chain: withBaseFee(25n) });
  const { pool, chain } = world;
  for (const [nonce, price] of [
    [0, 50],
    [1, 30],
    [2, 50],
  ]) {
    pool.add(aTransaction({ nonce: nonce ?? 0, price: price ?? 0 }), "remote");
  }
  chain.baseFee = 40n;
  chain.advance();
  expect(pool.status()).toEqual({ pending: 1, queued: 2 });
  expect(pool.nonce(alice.address)).toBe(1n);
  chain.baseFee = 30n;
  chain.advance();
  expect(pool.status()).toEqual({ pending: 3, queued: 0 });
});

test("a new unit price empties the pool", async () => {
  await using world = await aPool();
  const { pool, chain } = world;
  for (const tx of from(alice, [0, 5])) pool.add(tx, "local");
  chain.unit = 30n;
  chain.advance();
  expect(pool.status()).toEqual({ pending: 0, queued: 0 });
  expect(outcome(pool, aTransaction({ price: 25 }))).toBe("invalid unit price");
  expect(outcome(pool, aTransaction({ price: 30 }))).toBe("accepted");
});

test("what could not be executed is shown to no proposer and leaves at the next head", async () => {
  await using world = await aPool();
  const { pool, chain } = world;
  const [first, second] = from(alice, [0, 1]) as [Transaction, Transaction];
  for (const tx of [first, second]) pool.add(tx, "remote");
  pool.drop(first.hash);
  pool.drop(new Uint8Array(32));
  expect(pool.byPrice(undefined).peek()).toBeUndefined();
  chain.advance();
  expect(pool.get(first.hash)).toBeUndefined();
  expect(pool.status()).toEqual({ pending: 0, queued: 1 });
});

test("what waits in a silent account leaves after the lifetime, what is executable stays", async () => {
  await using world = await aPool();
  const { pool, time } = world;
  for (const tx of from(alice, [0, 5])) pool.add(tx, "remote");
  pool.add(aTransaction({ from: bob, nonce: 5 }), "local");
  time.pass(4 * 60_000);
  pool.add(aTransaction({ from: alice, nonce: 1 }), "remote");
  time.pass(2 * 60_000);
  expect(pool.content().queued.has(addressText(bob.address))).toBe(false);
  expect(pool.status()).toEqual({ pending: 2, queued: 1 });
  time.pass(4 * 60_000);
  expect(pool.status()).toEqual({ pending: 2, queued: 0 });
});

test("local accounts outlive the lifetime where the operator wants it", async () => {
  await using world = await aPool({ options: { keepLocals: true } });
  world.pool.add(aTransaction({ from: alice, nonce: 5 }), "local");
  world.pool.add(aTransaction({ from: bob, nonce: 5 }), "remote");
  world.time.pass(10 * 60_000);
  expect([...world.pool.content().queued.keys()]).toEqual([addressText(alice.address)]);
});

test("a closed pool follows neither the chain nor the clock", async () => {
  const world = await aPool();
  await world.pool[Symbol.asyncDispose]();
  expect(world.chain.listeners).toBe(0);
  expect(world.time.timers).toBe(0);
});

test("metrics show what the pool holds and why it lost or refused something", async () => {
  await using world = await aPool({ chain: withBaseFee() });
  const { pool, chain, metrics } = world;
  for (const tx of [...from(alice, [0, 4]), ...from(alice, [0], 26)]) pool.add(tx, "remote");
  outcome(pool, aTransaction({ from: alice, nonce: 0, price: 26, value: 1n }));
  outcome(pool, aTransaction({ from: bob, gas: 1 }));
  pool.add(aTransaction({ from: bob, nonce: 0 }), "remote");
  chain.setAccount(bob, { balance: 0n });
  chain.advance();
  const text = await metrics.render();
  for (const line of [
    "klaytn_tx_pool_pending_gauge 1",
    "klaytn_tx_pool_queue_gauge 1",
    "klaytn_txpool_slots 2",
    "klaytn_txpool_pending_replace 1",
    "klaytn_txpool_pending_discard 1",
    "klaytn_txpool_pending_nofunds 1",
    "klaytn_txpool_invalid 1",
    "klaytn_txpool_queued_nofunds 0",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

test("gas is counted by the head's rules, all else decided by the next block's", async () => {
  const chain = new FakeChain();
  chain.nextChanges = {
    legacyInputGas: { zero: 1000n, nonZero: 1000n },
    acceptedTypes: new Set([ACCESS_LIST]),
  };
  await using world = await aPool({ chain });
  const input = new Uint8Array(10);
  expect(outcome(world.pool, aTransaction({ input, gas: 21_040 }))).toBe("accepted");
  expect(outcome(world.pool, aTransaction({ nonce: 1, code: ACCESS_LIST }))).toBe("accepted");
  chain.changes = chain.nextChanges;
  chain.advance();
  expect(outcome(world.pool, aTransaction({ nonce: 2, input, gas: 30_999 }))).toBe("intrinsic gas too low");
});

test("a new head checks about a thousand executable transactions in full, of the others the nonce", async () => {
  const options = { pendingPerAccount: 1000 };
  await using world = await aPool({ options });
  const { pool, chain } = world;
  for (const signer of [alice, bob, aSigner(3)]) {
    const nonces = Array.from({ length: 600 }, (_, nonce) => nonce);
    pool.addAll(from(signer, nonces), "remote");
    chain.setAccount(signer, { balance: 0n, nonce: 1n });
  }
  chain.advance();
  expect(pool.status()).toEqual({ pending: 599, queued: 0 });
  expect(pool.nonce(aSigner(3).address)).toBe(600n);
});
