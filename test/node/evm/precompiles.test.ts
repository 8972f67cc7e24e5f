/** Tests of the table of precompiled contracts. */
import { expect, test } from "@jest/globals";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { isWarmFromStart, precompileAt } from "../../../node/evm/precompiles.ts";
import { blsG2Msm } from "../../../node/evm/precompiles-bls.ts";

const at = (number: number): Uint8Array => Uint8Array.of(...new Uint8Array(18), number >> 8, number & 0xff);

test("only a whole address names a precompiled contract", () => {
  expect(precompileAt(at(4), BASE_RULES, 1)?.name).toBe("identity");
  expect(precompileAt(at(0x104), BASE_RULES, 1)).toBeUndefined();
  expect(precompileAt(Uint8Array.of(1, ...at(4).subarray(1)), BASE_RULES, 1)).toBeUndefined();
});

test("only whole addresses count as met from the start", () => {
  expect([2, 0x104].map((number) => isWarmFromStart(at(number), BASE_RULES))).toEqual([true, false]);
  expect(isWarmFromStart(Uint8Array.of(1, ...at(2).subarray(1)), BASE_RULES)).toBe(false);
});

test.each([
  [1, 22_500, 1_125_000],
  [3, 62_302, 3_115_125],
  [128, 1_509_120, 75_456_000],
  [200, 2_358_000, 117_900_000],
])(
  "a sum of %i products in G2 computes k * 1,125,000 * discount / 1000, not 50 times its gas",
  (terms, gas, cost) => {
    const input = new Uint8Array(288 * terms);
    expect([blsG2Msm.gas(input, BASE_RULES), blsG2Msm.cost(input, gas, BASE_RULES)]).toEqual([gas, cost]);
  },
);
