import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { activePrecompiles, precompileAt } from "../../../node/evm/precompiles.ts";

const at = (number: number): Uint8Array => Uint8Array.of(...new Uint8Array(18), number >> 8, number & 0xff);

test("only a whole address names a precompiled contract", () => {
  expect(precompileAt(at(4), BASE_RULES, 1)?.name).toBe("identity");
  expect(precompileAt(at(0x104), BASE_RULES, 1)).toBeUndefined();
  expect(precompileAt(Uint8Array.of(1, ...at(4).subarray(1)), BASE_RULES, 1)).toBeUndefined();
});

test("the addresses in force are listed in their order", () => {
  const listed = activePrecompiles(BASE_RULES).map((address) => Number(toHex(address)));
  expect(listed).toEqual([...listed].sort((a, b) => a - b));
  expect(listed).toContain(2);
});
