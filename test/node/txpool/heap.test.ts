/** Tests of the binary heap. */
import { expect, test } from "@jest/globals";
import { Heap } from "../../../node/txpool/heap.ts";
import { seededChoices } from "../../support/pool-random.ts";

const ascending = (a: number, b: number) => a < b;

function drain(heap: Heap<number>): number[] {
  const all: number[] = [];
  for (let next = heap.pop(); next !== undefined; next = heap.pop()) all.push(next);
  return all;
}

test("a heap gives its items back in order, however they came in", () => {
  const random = seededChoices(1);
  for (let round = 0; round < 50; round++) {
    const numbers = Array.from({ length: random.int(40) }, () => random.int(20));
    const sorted = numbers.toSorted((a, b) => a - b);
    expect(drain(new Heap(ascending, [...numbers]))).toEqual(sorted);
    const pushed = new Heap(ascending);
    for (const number of numbers) pushed.push(number);
    expect(drain(pushed)).toEqual(sorted);
  }
});

test("replacing the top keeps the order", () => {
  const heap = new Heap(ascending, [5, 1, 9, 3]);
  heap.replaceTop(7);
  expect(heap.top()).toBe(3);
  expect(drain(heap)).toEqual([3, 5, 7, 9]);
});

test("an empty heap has no top", () => {
  const heap = new Heap(ascending);
  expect(heap.top()).toBeUndefined();
  expect(heap.pop()).toBeUndefined();
  heap.push(1);
  expect(heap.pop()).toBe(1);
  expect(heap.size).toBe(0);
});
