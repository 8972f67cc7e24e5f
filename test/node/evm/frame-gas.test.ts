/** Tests of the gas of a frame. */
import { expect, test } from "@jest/globals";
import type { EvmResult } from "../../../node/evm/evm.ts";
import {
  GasBudgetExceeded,
  moveGas,
  payGas,
  returnGas,
  setGas,
  takeFrame,
  takeGas,
  totalGas,
} from "../../../node/evm/frame.ts";
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

test("gas is refilled from the reserve when it is used up", () => {
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

test("gas that is handed on and costs of any size keep the total exact", () => {
  for (const [amount, part] of amounts.flatMap((one) => amounts.map((other) => [one, other] as const))) {
    if (part > amount) continue;
    const [frame, child, payer] = [takeFrame(), takeFrame(), takeFrame()];
    for (const each of [frame, payer]) setGas(each, amount);
    moveGas(frame, child, part);
    expect([totalGas(frame, frame.gas), totalGas(child, child.gas)]).toEqual([amount - part, part]);
    expect(frame.gas + child.gas).toBeLessThanOrEqual(2 ** 51);
    expect(payGas(payer, amount + 1n)).toBe(false);
    expect([payGas(payer, part), totalGas(payer, payer.gas)]).toEqual([true, amount - part]);
  }
});

/** Compares runs of a program with a small gas budget and without one. */
const thrifty: readonly (readonly [what: string, source: string])[] = [
  ["work", `${"1 2 ADD POP ".repeat(50)} GAS 0 MSTORE 32 0 RETURN`],
  ["a loop", "200 again: 1 SWAP1 SUB DUP1 @again JUMPI GAS 0 MSTORE 32 0 RETURN"],
  ["memory", "1 10000 MSTORE GAS 0 MSTORE 32 0 RETURN"],
  ["a precompiled contract", "32 0 1000 0 2 GAS STATICCALL GAS 0 MSTORE 32 0 RETURN"],
  ["calls of itself", "CALLDATASIZE 0 0 CALLDATASIZE 1 ADD 0 0 ADDRESS GAS CALL GAS 0 MSTORE 32 0 RETURN"],
  ["a creation", "0 0 0 CREATE 0 MSTORE GAS 32 MSTORE 64 0 RETURN"],
  ["a write", "7 1 SSTORE GAS 0 MSTORE 32 0 RETURN"],
  ["a revert", "GAS 0 MSTORE 32 0 REVERT"],
];

test.each(thrifty)("%s with a small gas budget ends as without one, or throws", (_what, source) => {
  for (const gas of [60_000n, 10n ** 9n]) {
    const whole = runProgram(source, { gas });
    const used = Number(gas - whole.gasLeft);
    for (const gasBudget of [1, 100, 1_000, used - 1, used, 10 ** 6]) {
      const run = (): EvmResult => runProgram(source, { gas, gasBudget });
      if (gasBudget < used && whole.failure?.code !== "reverted") expect(run).toThrow(GasBudgetExceeded);
      else if (gasBudget >= used + 2_300) expect(run()).toEqual(whole);
    }
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
