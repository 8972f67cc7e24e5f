import { expect, test } from "@jest/globals";
import { returnGas, setGas, takeFrame, takeGas, totalGas } from "../../../node/evm/frame.ts";
import { runProgram } from "../../support/evm.ts";

const amounts = [
  0n,
  1n,
  2n ** 51n - 1n,
  2n ** 51n,
  2n ** 51n + 1n,
  2n ** 53n + 1n,
  2n ** 63n,
  2n ** 64n - 1n,
];

test("a frame holds any gas below 2^64 exactly, and takes from it exactly", () => {
  for (const amount of amounts) {
    for (const cost of [0, 1, 2 ** 43, 2 ** 51]) {
      const frame = takeFrame();
      setGas(frame, amount);
      expect(totalGas(frame, frame.gas)).toBe(amount);
      const left = takeGas(frame, frame.gas, cost);
      if (amount < BigInt(cost)) expect(left).toBeLessThan(0);
      else expect(totalGas(frame, left)).toBe(amount - BigInt(cost));
    }
  }
});

test("what is at hand is filled up from the reserve when it is used up", () => {
  const frame = takeFrame();
  setGas(frame, 2n ** 52n + 7n);
  expect(totalGas(frame, takeGas(frame, 3, 10))).toBe(2n ** 52n + 7n - 2n ** 51n - 7n);
  expect(takeGas(frame, 3, Infinity)).toBe(-Infinity);
});

test("gas that comes back is added exactly", () => {
  for (const [a, b] of amounts.flatMap((one) => amounts.map((other) => [one, other] as const))) {
    const [frame, child] = [takeFrame(), takeFrame()];
    setGas(frame, a);
    setGas(child, b);
    returnGas(frame, child);
    expect(totalGas(frame, frame.gas)).toBe(a + b);
  }
});

test("memory beyond 2^31 bytes cannot be bought with any gas", () => {
  for (const program of [
    `1 ${2 ** 31} MSTORE8`,
    `${2 ** 32} 0 RETURN`,
    `${2 ** 33} ${2 ** 34} 0 CALLDATACOPY`,
  ]) {
    const { failure, gasLeft } = runProgram(program, { gas: 2n ** 64n - 1n });
    expect([program, failure?.code, gasLeft]).toEqual([program, "out-of-gas", 0n]);
  }
});
