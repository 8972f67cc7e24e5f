/** Tests of the order of eviction from a full pool. */
import { expect, test } from "@jest/globals";
import { systemClock } from "../../../node/runtime/clock.ts";
import type { PoolEntry } from "../../../node/txpool/entry.ts";
import { planEviction } from "../../../node/txpool/eviction.ts";
import { DEFAULT_POOL_OPTIONS } from "../../../node/txpool/options.ts";
import { PoolIndex } from "../../../node/txpool/pool-index.ts";
import { anEntry } from "../../support/pool-entries.ts";

function ledgerOf(...entries: PoolEntry[]): PoolIndex {
  const index = new PoolIndex(DEFAULT_POOL_OPTIONS, systemClock);
  for (const entry of entries) index.add(entry);
  return index;
}

const last = anEntry({ account: 1, nonce: 9, price: 1 });
const cheap = anEntry({ account: 2, nonce: 0, price: 5 });
const dear = anEntry({ account: 2, nonce: 1, price: 8 });

test("while there is room nothing has to leave", () => {
  expect(planEviction(ledgerOf(last), anEntry({ nonce: 4 }), { capacity: 2, local: false })).toEqual([]);
});

test("the sender's last waiting one leaves first, then the cheapest of the others", () => {
  const index = ledgerOf(last, cheap, dear);
  const entry = anEntry({ account: 1, nonce: 4, price: 6, slots: 2 });
  expect(planEviction(index, entry, { capacity: 3, local: false })).toEqual([last, cheap]);
  expect(
    planEviction(index, anEntry({ account: 1, nonce: 4, price: 6 }), { capacity: 3, local: false }),
  ).toEqual([last]);
});

test("what offers less than all others is refused, unless it was submitted here", () => {
  const index = ledgerOf(last, cheap, dear);
  const entry = anEntry({ account: 1, nonce: 4, price: 4 });
  expect(() => planEviction(index, entry, { capacity: 3, local: false })).toThrow("transaction underpriced");
  expect(planEviction(index, entry, { capacity: 3, local: true })).toEqual([last]);
});

test("local accounts' transactions make room for nobody", () => {
  const index = ledgerOf(last, cheap, dear);
  index.markLocal(cheap.senderKey);
  const entry = anEntry({ account: 1, nonce: 4, price: 6, slots: 2 });
  expect(() => planEviction(index, entry, { capacity: 3, local: false })).toThrow("txpool is full: 3");
  expect(index.size).toBe(3);
});
