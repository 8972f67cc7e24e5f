import { expect, test } from "@jest/globals";
import { LruOrder } from "../../../node/txpool/lru-order.ts";
import { seededChoices } from "../../support/pool-random.ts";

test("items stand in the order of their last touch", () => {
  const recency = new LruOrder<string>();
  for (const item of ["a", "b", "c", "a"]) recency.touch(item);
  expect([...recency.fromOldest()]).toEqual(["b", "c", "a"]);
  expect([...recency.fromNewest()]).toEqual(["a", "c", "b"]);
});

test("touching and deleting at random agrees with a plain list", () => {
  const random = seededChoices(2);
  const recency = new LruOrder<number>();
  let list: number[] = [];
  for (let step = 0; step < 2000; step++) {
    const item = random.int(12);
    list = list.filter((other) => other !== item);
    if (random.int(3) === 0) recency.delete(item);
    else {
      recency.touch(item);
      list.push(item);
    }
    expect([...recency.fromOldest()]).toEqual(list);
    expect([...recency.fromNewest()]).toEqual(list.toReversed());
    expect(recency.size).toBe(list.length);
  }
});

test("the item at hand may be deleted while walking", () => {
  const recency = new LruOrder<number>();
  for (const item of [1, 2, 3, 4]) recency.touch(item);
  for (const item of recency.fromOldest()) if (item % 2 === 0) recency.delete(item);
  expect([...recency.fromOldest()]).toEqual([1, 3]);
  for (const item of recency.fromNewest()) recency.delete(item);
  expect([...recency.fromOldest()]).toEqual([]);
});
