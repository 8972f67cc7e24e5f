/** Tests of the cuts that level the largest accounts of a full pool. */
import { expect, test } from "@jest/globals";
import { levelCuts } from "../../../node/txpool/pool-index.ts";
import { seededChoices } from "../../support/pool-random.ts";

test("the largest account is cut first", () => {
  expect(levelCuts([100, 50, 10], 20, 16)).toEqual([20, 0, 0]);
});

test("accounts are levelled down together once they are equal", () => {
  expect(levelCuts([100, 50, 10], 60, 16)).toEqual([55, 5, 0]);
});

test("nobody is cut below what an account may keep", () => {
  expect(levelCuts([20, 18, 3], 100, 16)).toEqual([4, 2, 0]);
  expect(levelCuts([], 5, 16)).toEqual([]);
});

test("the cuts are those of taking one from the largest again and again", () => {
  const random = seededChoices(3);
  for (let round = 0; round < 500; round++) {
    const sizes = Array.from({ length: 1 + random.int(8) }, () => random.int(40));
    const excess = random.int(80);
    const keep = random.int(20);
    const left = sizes.map((size, index) => size - (levelCuts(sizes, excess, keep)[index] ?? 0));
    expect(descending(left)).toEqual(descending(oneByOne(sizes, excess, keep)));
  }
});

function oneByOne(sizes: readonly number[], excess: number, keep: number): number[] {
  const left = [...sizes];
  for (let i = 0; i < excess; i++) {
    const largest = Math.max(...left);
    if (largest <= keep) break;
    left[left.indexOf(largest)] = largest - 1;
  }
  return left;
}

function descending(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => b - a);
}
