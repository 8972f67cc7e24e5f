/** Tests of the order of last use. */
import { expect, test } from "@jest/globals";
import { LruOrder } from "../../../node/txpool/lru-order.ts";
import { seededChoices } from "../../support/pool-random.ts";

test("items stand in the order of their last touch", () => {
  const order = new LruOrder<string>();
  for (const item of ["a", "b", "c", "a"]) order.touch(item);
  expect([...order.fromOldest()]).toEqual(["b", "c", "a"]);
  expect([...order.fromNewest()]).toEqual(["a", "c", "b"]);
});

test("touching and deleting at random agrees with a plain list", () => {
  const random = seededChoices(2);
  const order = new LruOrder<number>();
  let list: number[] = [];
  for (let step = 0; step < 2000; step++) {
    const item = random.int(12);
    list = list.filter((other) => other !== item);
    if (random.int(3) === 0) order.delete(item);
    else {
      order.touch(item);
      list.push(item);
    }
    expect([...order.fromOldest()]).toEqual(list);
    expect([...order.fromNewest()]).toEqual(list.toReversed());
    expect(order.size).toBe(list.length);
  }
});

test("the item at hand may be deleted while walking", () => {
  const order = new LruOrder<number>();
  for (const item of [1, 2, 3, 4]) order.touch(item);
  for (const item of order.fromOldest()) if (item % 2 === 0) order.delete(item);
  expect([...order.fromOldest()]).toEqual([1, 3]);
  for (const item of order.fromNewest()) order.delete(item);
  expect([...order.fromOldest()]).toEqual([]);
});
