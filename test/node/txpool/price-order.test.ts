/** Tests of the order of transactions in a proposal. */
import { expect, test } from "@jest/globals";
import type { PoolEntry } from "../../../node/txpool/entry.ts";
import { effectiveTip, PriceOrder } from "../../../node/txpool/price-order.ts";
import { anEntry } from "../../support/pool-entries.ts";

function takeAll(order: PriceOrder): unknown[] {
  const all: unknown[] = [];
  for (let next = order.peek(); next; next = order.peek()) {
    all.push(next);
    order.shift();
  }
  return all;
}

const transactions = (...entries: PoolEntry[]) => entries.map((entry) => entry.transaction);

test("the higher tip goes first, but never before a lower nonce of its account", () => {
  const cheap = anEntry({ account: 1, nonce: 0, price: 2 });
  const dear = anEntry({ account: 1, nonce: 1, price: 9 });
  const other = anEntry({ account: 2, nonce: 0, price: 5 });
  const order = new PriceOrder([[cheap, dear], [other]], undefined);
  expect(takeAll(order)).toEqual(transactions(other, cheap, dear));
});

test("of equal tips the one seen first goes first", () => {
  const late = anEntry({ account: 1, nonce: 0, price: 3, tip: 1, seen: 20 });
  const early = anEntry({ account: 2, nonce: 0, price: 2, tip: 1, seen: 10 });
  expect(takeAll(new PriceOrder([[late], [early]], undefined))).toEqual(transactions(early, late));
});

test("the tip is what is left above the base fee, at most the tip cap", () => {
  expect(effectiveTip(anEntry({ nonce: 0, price: 100, tip: 30 }).transaction, undefined)).toBe(30n);
  expect(effectiveTip(anEntry({ nonce: 0, price: 100, tip: 30 }).transaction, 50n)).toBe(30n);
  expect(effectiveTip(anEntry({ nonce: 0, price: 100, tip: 30 }).transaction, 90n)).toBe(10n);
});

test("an account that cannot pay the base fee, or was found not to execute, holds up only itself", () => {
  const below = anEntry({ account: 1, nonce: 0, price: 5 });
  const fine = anEntry({ account: 2, nonce: 0, price: 10 });
  const failed = anEntry({ account: 2, nonce: 1, price: 10 });
  const after = anEntry({ account: 2, nonce: 2, price: 10 });
  failed.unexecutable = true;
  expect(takeAll(new PriceOrder([[below], [fine, failed, after]], 10n))).toEqual(transactions(fine));
});

test("the transaction that follows in an account is seen before it is its turn", () => {
  const first = anEntry({ account: 1, nonce: 0, price: 9 });
  const second = anEntry({ account: 1, nonce: 1, price: 2 });
  const other = anEntry({ account: 2, nonce: 0, price: 5 });
  const order = new PriceOrder([[first, second], [other]], undefined);
  expect(order.following()).toBe(second.transaction);
  order.shift();
  expect(order.following()).toBeUndefined();
  for (let taken = 0; taken < 2; taken++) order.shift();
  expect(order.following()).toBeUndefined();
});

test("popping leaves out the rest of the account", () => {
  const first = anEntry({ account: 1, nonce: 0, price: 9 });
  const second = anEntry({ account: 1, nonce: 1, price: 9 });
  const other = anEntry({ account: 2, nonce: 0, price: 1 });
  const order = new PriceOrder([[first, second], [other]], undefined);
  order.pop();
  expect(takeAll(order)).toEqual(transactions(other));
  order.pop();
  order.shift();
  expect(order.peek()).toBeUndefined();
});
