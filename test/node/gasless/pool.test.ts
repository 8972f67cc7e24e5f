/** Gasless transactions in the pool: cases and values of the Go node's tests, limits, and what leaves with time. */
import { expect, test } from "@jest/globals";
import { mapKey } from "../../../node/bytes/hex.ts";
import type { GaslessOptions } from "../../../node/gasless/options.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import type { TxPool } from "../../../node/txpool/pool.ts";
import { aGaslessWorld, anApproval, aSingleSwap, aSwap, type GaslessWorld } from "../../support/gasless.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { aPool, FakeTime, outcome, type PoolWorld } from "../../support/pool-open.ts";
import { aSigner, aTransaction, type TestSigner } from "../../support/pool-transactions.ts";

const user = aSigner(100);

/** A transfer, an approval, a swap behind it, and a swap alone. */
const kinds: Readonly<Record<string, (nonce: number) => Transaction>> = {
  T: (nonce) => aTransaction({ from: user, nonce, price: 1, gas: 1_000_000 }),
  A: (nonce) => anApproval({ from: user, nonce }),
  S: (nonce) => aSwap({ from: user, nonce, minAmountOut: 2_077_000n }),
  O: (nonce) => aSingleSwap({ from: user, nonce, minAmountOut: 1_077_000n }),
};

interface GaslessPool extends PoolWorld, Pick<GaslessWorld, "world" | "grow"> {
  readonly clock: FakeTime;
}

/** A pool in which these accounts have nothing. */
async function aGaslessPool(
  poor: readonly TestSigner[],
  options: Partial<GaslessOptions> = {},
): Promise<GaslessPool> {
  const clock = new FakeTime();
  const { gasless, world, grow } = await aGaslessWorld({ options, clock });
  const chain = new FakeChain({ unitPrice: 1n });
  for (const each of poor) chain.setAccount(each, { balance: 0n });
  const opened = await aPool({ chain, clock, exceptions: gasless });
  return Object.assign(opened, { clock, world, grow });
}

function names(pool: TxPool, sent: ReadonlyMap<string, string>, part: "pending" | "queued"): string {
  const transactions = [...pool.content()[part].values()].flat();
  return transactions.map(({ hash }) => sent.get(mapKey(hash))).join("");
}

test.each([
  ["poor", "ATSO", "", "ASO"],
  ["rich", "ATSO", "", "ATSO"],
  ["poor", "ASTO", "AS", "O"],
  ["rich", "ASTO", "AST", "O"],
  ["poor", "ASOT", "AS", "O"],
  ["rich", "ASOT", "AS", "OT"],
  ["poor", "OAST", "O", "AS"],
  ["rich", "OAST", "O", "AST"],
  ["poor", "OTAS", "O", "AS"],
  ["rich", "OTAS", "OT", "AS"],
  ["poor", "TASO", "", "ASO"],
  ["rich", "TASO", "T", "ASO"],
  ["poor", "TOAS", "", "OAS"],
  ["rich", "TOAS", "T", "OAS"],
  ["poor", "SAOT", "", "SAO"],
  ["rich", "SAOT", "", "SAOT"],
])(
  "of a %s sender's %s the pool makes %j executable, and %j wait",
  async (balance, order, pending, queued) => {
    await using opened = await aGaslessPool(balance === "poor" ? [user] : []);
    const sent = new Map<string, string>();
    for (const [nonce, kind] of order.split("").entries()) {
      const tx = kinds[kind]?.(nonce) ?? aTransaction();
      sent.set(mapKey(tx.hash), kind);
      const expected =
        kind === "T" && balance === "poor" ? "insufficient funds of the sender for value " : "accepted";
      expect(outcome(opened.pool, tx, "local")).toBe(expected);
    }
    expect(names(opened.pool, sent, "pending")).toBe(pending);
    expect(names(opened.pool, sent, "queued")).toBe(queued);
  },
);

/** An approval and its swap of the sender of a number. */
function aPair(number: number): readonly [Transaction, Transaction] {
  const from = aSigner(number);
  return [anApproval({ from, nonce: 0 }), aSwap({ from, nonce: 1 })];
}

test("a swap that comes before its approval waits for it", async () => {
  await using opened = await aGaslessPool([user]);
  const [approve, swap] = aPair(100);
  opened.pool.add(swap, "remote");
  expect(opened.pool.status()).toEqual({ pending: 0, queued: 1 });
  const heard: (readonly Transaction[])[] = [];
  opened.pool.onPending((transactions) => void heard.push(transactions));
  opened.pool.add(approve, "remote");
  expect(heard).toEqual([[approve, swap]]);
});

test("no more become executable than the limit says, a pair with both or not at all", async () => {
  await using opened = await aGaslessPool([], { maxPending: 3 });
  for (const tx of [...aPair(100), ...aPair(101)]) opened.pool.add(tx, "remote");
  expect(opened.pool.status()).toEqual({ pending: 2, queued: 2 });
  opened.pool.add(aSingleSwap({ from: aSigner(102), nonce: 0 }), "remote");
  expect(opened.pool.status()).toEqual({ pending: 3, queued: 2 });
});

test("one that failed in a block does not count for the limit any more", async () => {
  await using opened = await aGaslessPool([], { maxPending: 1 });
  const [first, second] = [102, 103].map((number) => aSingleSwap({ from: aSigner(number), nonce: 0 }));
  opened.pool.add(first as Transaction, "remote");
  opened.pool.drop((first as Transaction).hash);
  opened.pool.add(second as Transaction, "remote");
  expect(opened.pool.status()).toEqual({ pending: 2, queued: 0 });
});

test("no more wait than the limit says; refused ones count until the next head", async () => {
  await using opened = await aGaslessPool([], { maxQueued: 2 });
  const { pool, chain } = opened;
  const refused = aSwap({ from: user, nonce: 5, minAmountOut: 0n });
  expect(outcome(pool, refused)).toBe("insufficient minAmountOut: minAmountOut=0, amountRepay=2021000");
  expect(outcome(pool, aSwap({ from: user, nonce: 6 }))).toBe("accepted");
  expect(outcome(pool, aSwap({ from: user, nonce: 7 }))).toBe("bundle tx queue is full");
  expect(outcome(pool, aTransaction({ from: user, price: 1 }))).toBe("accepted");
  chain.advance();
  expect(outcome(pool, aSwap({ from: user, nonce: 7 }))).toBe("accepted");
});

test.each([0, -1])("a limit of %s is none", async (limit) => {
  await using opened = await aGaslessPool([], { maxPending: limit, maxQueued: limit });
  for (const tx of aPair(100)) opened.pool.add(tx, "remote");
  expect(opened.pool.status()).toEqual({ pending: 2, queued: 0 });
});

test("they leave after ten seconds, and may come again after thirty", async () => {
  await using opened = await aGaslessPool([user]);
  const { pool, chain, clock } = opened;
  const [approve, swap] = aPair(100);
  const waiting = aSwap({ from: aSigner(101), nonce: 1 });
  for (const tx of [approve, swap, waiting]) pool.add(tx, "remote");
  clock.pass(9_999);
  chain.advance();
  expect(pool.status()).toEqual({ pending: 2, queued: 1 });
  clock.pass(1);
  chain.advance();
  expect(pool.status()).toEqual({ pending: 0, queued: 0 });
  expect(outcome(pool, approve)).toBe("cannot add known bundle tx during cooldown");
  clock.pass(20_000);
  chain.advance();
  for (const tx of [approve, swap]) expect(outcome(pool, tx)).toBe("accepted");
  expect(pool.status()).toEqual({ pending: 2, queued: 0 });
});

test("those that no longer pass their checks leave with the next block", async () => {
  await using opened = await aGaslessPool([user]);
  for (const tx of aPair(100)) opened.pool.add(tx, "remote");
  opened.world.addBalance(user.address, 1n);
  opened.world.setCode(user.address, Uint8Array.of(1));
  opened.world.endTransaction();
  opened.grow();
  opened.chain.advance();
  expect(opened.pool.status()).toEqual({ pending: 0, queued: 0 });
});
