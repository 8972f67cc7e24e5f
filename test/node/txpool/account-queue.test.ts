/** Tests of one account's transactions by nonce: promotion, demotion, cuts. */
import { expect, test } from "@jest/globals";
import { AccountQueue } from "../../../node/txpool/account-queue.ts";
import { anEntry, nonces } from "../../support/pool-entries.ts";
import { seededChoices } from "../../support/pool-random.ts";

const anyPrice = () => true;

function queueOf(numbers: readonly number[]): AccountQueue {
  const queue = new AccountQueue(new Uint8Array(20), "account");
  for (const nonce of numbers) queue.put(anEntry({ nonce }));
  return queue;
}

test("transactions stand by nonce, in whatever order they come", () => {
  const random = seededChoices(4);
  const ordered = Array.from({ length: 300 }, (_, nonce) => nonce);
  const queue = queueOf(random.shuffle(ordered));
  expect(nonces(queue.queuedEntries())).toEqual(ordered);
  for (const nonce of ordered) expect(queue.get(BigInt(nonce))?.transaction.nonce).toBe(BigInt(nonce));
  expect(queue.get(300n)).toBeUndefined();
});

test("a run without gaps becomes executable, up to the first gap", () => {
  const queue = queueOf([5, 6, 8]);
  expect(nonces(queue.promote(4n, anyPrice))).toEqual([]);
  expect(nonces(queue.promote(5n, anyPrice))).toEqual([5, 6]);
  expect(queue.nextNonce()).toBe(7n);
  expect(nonces(queue.queuedEntries())).toEqual([8]);
  queue.put(anEntry({ nonce: 7 }));
  expect(nonces(queue.promote(5n, anyPrice))).toEqual([7, 8]);
});

test("promotion stops at a transaction that is not acceptable", () => {
  const queue = queueOf([0, 1, 2]);
  expect(nonces(queue.promote(0n, (entry) => entry.transaction.nonce !== 1n))).toEqual([0]);
});

test("an entry takes the place of the one with its nonce and stays executable", () => {
  const queue = queueOf([0, 1]);
  queue.promote(0n, anyPrice);
  const old = queue.get(1n);
  const replacement = anEntry({ nonce: 1 });
  expect(queue.put(replacement)).toBe(old);
  expect(queue.get(1n)).toBe(replacement);
  expect(queue.isPending(replacement)).toBe(true);
});

test("removing an executable entry lets those after it wait again", () => {
  const queue = queueOf([0, 1, 2, 3]);
  queue.promote(0n, anyPrice);
  const second = queue.get(1n);
  expect(second && queue.remove(second)).toBe(true);
  expect(second && queue.remove(second)).toBe(false);
  expect(nonces(queue.pendingEntries())).toEqual([0]);
  expect(nonces(queue.queuedEntries())).toEqual([2, 3]);
});

test("executed nonces leave, executable and waiting ones alike", () => {
  const queue = queueOf([0, 1, 2, 5]);
  queue.promote(0n, anyPrice);
  expect(nonces(queue.dropBelow(2n))).toEqual([0, 1]);
  expect([queue.pending, queue.queued]).toEqual([1, 1]);
  expect(nonces(queue.dropBelow(9n))).toEqual([2, 5]);
  expect(queue.size).toBe(0);
});

test("the highest executable nonces can be cut while higher ones go on waiting", () => {
  const queue = queueOf([0, 1, 2, 9]);
  queue.promote(0n, anyPrice);
  expect(nonces(queue.dropLastPending(2))).toEqual([1, 2]);
  expect(nonces(queue.queuedEntries())).toEqual([9]);
  expect(nonces(queue.dropLastQueued(5))).toEqual([9]);
  expect(nonces(queue.pendingEntries())).toEqual([0]);
});

test("filtering demotes what follows the first entry that goes", () => {
  const queue = queueOf([0, 1, 2, 3]);
  queue.promote(0n, anyPrice);
  const gone = queue.filter(queue.pendingEntries(), (entry) => entry.transaction.nonce % 2n === 1n);
  expect(nonces(gone)).toEqual([1, 3]);
  expect(nonces(queue.pendingEntries())).toEqual([0]);
  expect(nonces(queue.queuedEntries())).toEqual([2]);
  expect(queue.filter(queue.pendingEntries(), () => false)).toEqual([]);
});
