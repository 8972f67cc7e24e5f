/** Tests of work started ahead of its consumer. */
import { expect, test } from "@jest/globals";
import { type Ahead, inOrder } from "../../../node/chain/ahead.ts";

const limits = { items: 3, bytes: 100 };

async function collect<T>(source: AsyncIterable<Ahead<T>>): Promise<{ values: T[]; error: unknown }> {
  const values: T[] = [];
  try {
    for await (const value of inOrder(source, limits)) values.push(value);
  } catch (error) {
    return { values, error };
  }
  return { values, error: undefined };
}

async function* failingItem(): AsyncGenerator<Ahead<number>> {
  yield { size: 1, ready: Promise.resolve(1) };
  yield { size: 1, ready: Promise.reject(new Error("second")) };
  yield { size: 1, ready: Promise.resolve(3) };
}

async function* failingSource(): AsyncGenerator<Ahead<number>> {
  yield { size: 1, ready: Promise.resolve(1) };
  throw new Error("source");
}

test("results come in order however long each takes, and no more wait than allowed", async () => {
  let started = 0;
  let most = 0;
  let taken = 0;
  async function* source(): AsyncGenerator<Ahead<number>> {
    for (let i = 0; i < 20; i++) {
      started++;
      most = Math.max(most, started - taken);
      const ready = new Promise<number>((resolve) => setTimeout(() => resolve(i), (20 - i) % 5));
      yield { size: 1, ready };
    }
  }
  const values: number[] = [];
  for await (const value of inOrder(source(), limits)) {
    values.push(value);
    taken++;
  }
  expect(values).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(most).toBeLessThanOrEqual(limits.items + 2);
});

test("bytes bound what waits too", async () => {
  let started = 0;
  async function* source(): AsyncGenerator<Ahead<number>> {
    for (let i = 0; i < 10; i++) {
      started++;
      yield { size: 90, ready: Promise.resolve(i) };
    }
  }
  const results = inOrder(source(), limits);
  await results.next();
  expect(started).toBe(2);
  await results.return(undefined);
});

test("an item's error comes at its place and ends the rest", async () => {
  expect(await collect(failingItem())).toEqual({ values: [1], error: new Error("second") });
});

test("an error of the source comes after the results before it", async () => {
  expect(await collect(failingSource())).toEqual({ values: [1], error: new Error("source") });
});

test("a consumer that stops early ends the source", async () => {
  let ended = false;
  async function* source(): AsyncGenerator<Ahead<number>> {
    try {
      for (let i = 0; ; i++) yield { size: 50, ready: Promise.resolve(i) };
    } finally {
      ended = true;
    }
  }
  for await (const value of inOrder(source(), limits)) if (value === 2) break;
  expect(ended).toBe(true);
});
