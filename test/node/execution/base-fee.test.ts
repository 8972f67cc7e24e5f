/** Tests of the dynamic base fee (KIP-71). */
import { expect, test } from "@jest/globals";
import { nextBaseFee } from "../../../node/execution/base-fee.ts";

const defaults = {
  lowerBound: 25_000_000_000n,
  upperBound: 750_000_000_000n,
  gasTarget: 30_000_000n,
  maxBlockGasUsed: 60_000_000n,
  denominator: 20n,
};

test.each([
  ["used as much as the target", 750_000_000_000n, 30_000_000n, 750_000_000_000n],
  ["used less", 30_000_000_000n, 20_000_000n, 29_500_000_000n],
  ["used more", 300_000_000_000n, 40_000_000n, 305_000_000_000n],
  ["is at the upper bound and used more", 750_000_000_000n, 60_000_000n, 750_000_000_000n],
  ["is at the lower bound and used nothing", 25_000_000_000n, 0n, 25_000_000_000n],
  ["used more than counts", 300_000_000_000n, 900_000_000n, 315_000_000_000n],
  ["is outside the bounds", 1n, 30_000_000n, 25_000_000_000n],
])("a parent that %s moves the base fee as KIP-71 says", (_what, baseFee, gasUsed, want) => {
  expect(nextBaseFee({ number: 7, baseFee, gasUsed }, defaults)).toBe(want);
});

test("the first block with a base fee has the lower bound", () => {
  expect(nextBaseFee({ number: 0, baseFee: 99n, gasUsed: 0n }, defaults)).toBe(25_000_000_000n);
  expect(nextBaseFee({ number: 9, baseFee: undefined, gasUsed: 0n }, defaults)).toBe(25_000_000_000n);
});

test("the base fee is even and rises by at least one before rounding", () => {
  const odd = { ...defaults, lowerBound: 3n, upperBound: 9n };
  expect(nextBaseFee({ number: 1, baseFee: undefined, gasUsed: 0n }, odd)).toBe(4n);
  expect(nextBaseFee({ number: 1, baseFee: 6n, gasUsed: 30_000_001n }, odd)).toBe(6n);
  expect(nextBaseFee({ number: 1, baseFee: 100n, gasUsed: 60_000_000n }, odd)).toBe(8n);
});

test("of bounds that are the wrong way round once they are even, the upper one counts for a parent at or above it", () => {
  const odd = { ...defaults, lowerBound: 101n, upperBound: 101n };
  const after = (baseFee: bigint): bigint => nextBaseFee({ number: 7, baseFee, gasUsed: 30_000_000n }, odd);
  expect([99n, 100n, 103n].map(after)).toEqual([102n, 100n, 100n]);
});

test("a denominator of zero counts as 64 and a target of zero leaves the base fee", () => {
  expect(
    nextBaseFee(
      { number: 1, baseFee: 64_000_000_000n, gasUsed: 60_000_000n },
      { ...defaults, denominator: 0n },
    ),
  ).toBe(65_000_000_000n);
  expect(
    nextBaseFee({ number: 1, baseFee: 30_000_000_000n, gasUsed: 1n }, { ...defaults, gasTarget: 0n }),
  ).toBe(30_000_000_000n);
});
