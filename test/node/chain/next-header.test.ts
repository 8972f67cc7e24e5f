/** Limits of gas that a development chain sets for its blocks. */
import { expect, test } from "@jest/globals";
import { NextHeader } from "../../../node/chain/next-header.ts";

test("a limit of gas holds from its block on, until the chain has gone back before it", () => {
  const next = new NextHeader();
  expect(next.gasLimitAt(5)).toBeUndefined();
  next.setGasLimit(0, 100n);
  next.setGasLimit(4, 50n);
  next.setGasLimit(4, 60n);
  expect([3, 4, 9].map((number) => next.gasLimitAt(number))).toEqual([100n, 60n, 60n]);
  next.forgetAfter(4);
  expect(next.gasLimitAt(5)).toBe(60n);
  next.setGasLimit(5, 70n);
  next.forgetAfter(3);
  expect(next.gasLimitAt(9)).toBe(100n);
  next.setGasLimit(2, 80n); // a later one of an abandoned branch would not stay
  expect(next.gasLimitAt(9)).toBe(80n);
});
