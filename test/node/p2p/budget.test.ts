/** Tests of the budgets of queues and rates. */
import { expect, test } from "@jest/globals";
import { createBudgetedQueue, createRate } from "../../../node/p2p/budget.ts";

test("a queue refuses items above its limits, and accepts one large item when it is empty", () => {
  const queue = createBudgetedQueue<string>({ items: 3, bytes: 10 });
  expect([queue.offer("large", 50), queue.offer("small", 1)]).toEqual([true, false]);
  void queue.take();
  expect([queue.offer("a", 4), queue.offer("b", 4), queue.offer("c", 4), queue.offer("d", 2)]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(queue.offer("e", 0)).toBe(false);
  expect([queue.length, queue.bytes]).toEqual([3, 10]);
});

test("consumers get items in order and wait for them while the queue is empty", async () => {
  const queue = createBudgetedQueue<number>({ items: 2, bytes: 100 });
  const first = queue.take();
  queue.offer(1, 1);
  expect(await first).toBe(1);
  const filled = (async () => {
    for (let i = 2; i < 10; i++) await queue.put(i, 1);
    queue.close();
  })();
  const taken: number[] = [];
  for (let item = await queue.take(); item !== undefined; item = await queue.take()) taken.push(item);
  expect(taken).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  await filled;
  expect([queue.offer(1, 1), await queue.put(1, 1), await queue.waitForRoom()]).toEqual([
    false,
    false,
    false,
  ]);
});

test("closing wakes all waiters, and `drop` discards queued items", async () => {
  const queue = createBudgetedQueue<number>({ items: 1, bytes: 10 });
  queue.offer(1, 1);
  const [put, room] = [queue.put(2, 1), queue.waitForRoom()];
  queue.close("drop");
  expect([await put, await room, await queue.take(), queue.bytes]).toEqual([false, false, undefined, 0]);
});

test("a queue has room again when a quarter of its budget is free", async () => {
  const queue = createBudgetedQueue<number>({ items: 4, bytes: 100 });
  for (let i = 0; i < 4; i++) queue.offer(i, 25);
  let roomy = false;
  const room = queue.waitForRoom().then((is) => void (roomy = is));
  await Promise.resolve();
  expect(roomy).toBe(false);
  await queue.take();
  await room;
  expect(roomy).toBe(true);
});

test("a rate allows a burst, then returns the time to wait for the excess", () => {
  let now = 1000;
  const rate = createRate({ perSecond: 100, burst: 10 }, { now: () => now });
  expect([rate(4), rate(6), rate(5), rate(5)]).toEqual([0, 0, 50, 100]);
  now += 100;
  expect(rate(0)).toBe(0);
  now += 10_000;
  expect([rate(10), rate(1)]).toEqual([0, 10]);
  now -= 5000; // a clock set back gives and takes nothing
  expect(rate(1)).toBe(20);
});
