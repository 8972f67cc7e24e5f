/** Tests of the table of precompiled contracts. */
import { expect, test } from "@jest/globals";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { isWarmFromStart, precompileAt } from "../../../node/evm/precompiles.ts";

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
