/** Tests of the computation cost of failing precompiled contracts. */
import { expect, test } from "@jest/globals";
import { fromBareHex } from "../../../node/bytes/hex.ts";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { precompileAt } from "../../../node/evm/precompiles.ts";

// As recorded chains have them (calls of debug_traceTransaction).
test.each([
  [6, `${"1".padStart(64, "0")}${"1".padStart(64, "0")}`, "point is not on curve"],
  [8, "00", "bad elliptic curve pairing size"],
  [9, "", "invalid input length"],
  [0x0a, "00".repeat(117), "invalid input length"],
  [0x0a, "00".repeat(192), "mismatched versioned hash"],
  [0x0b, "", "invalid input length"],
  [0x0d, "00".repeat(160), "invalid input length"],
  [0x0e, "00".repeat(160), "invalid input length"],
  [0x10, "00".repeat(160), "invalid input length"],
  [0x11, "00".repeat(160), "invalid input length"],
])("contract %i fails with the Go node's words", (address, hex, words) => {
  const rules = { ...BASE_RULES, evm: "prague" } as const;
  const contract = precompileAt(fromBareHex(address.toString(16).padStart(40, "0")), rules, 1);
  const input = fromBareHex(hex);
  const call = { input, rules, feePayer: new Uint8Array(20), world: undefined as never };
  expect(contract?.run(call)).toBeUndefined();
  expect(contract?.fault?.(input)).toBe(words);
});

test("computation of modular powers is a hundredth of their gas, and wraps around where the gas needs more than 64 bits", () => {
  const rules = { ...BASE_RULES, evm: "prague" } as const;
  const modexp = precompileAt(fromBareHex("5".padStart(40, "0")), rules, 1);
  const cost = (baseLength: string): number | undefined => {
    const input = fromBareHex(baseLength.padStart(64, "0") + "1".padStart(64, "0") + "1".padStart(64, "0"));
    return modexp?.cost(input, modexp.gas(input, rules), rules);
  };
  expect(cost("20")).toBe(102);
  expect(cost("ffffffff")).toBe(Math.floor(((2 ** 29) ** 2 - 1) / 3 / 100) + 100);
  expect(cost("f".repeat(60))).toBe(-1);
});

// Figures of the Go node's own functions (blockchain/vm/contracts.go@v2.2.2).
test.each([
  [0x0e, 288 * 3, 62_302, 3_115_125],
  [0x0e, 288 * 128, 1_509_120, 75_456_000],
  [0x0e, 288 * 129, 1_520_910, 76_045_500],
  [0x0e, 287, 0, 0],
  [0x0c, 160 * 3, 30_528, 1_526_400],
  [0x0c, 160 * 129, 803_412, 40_170_600],
  [0x0f, 383, 37_700, 1_885_000],
])(
  "sums and pairings of BLS12-381 cost the Go node's gas and computation: %i, %i bytes",
  (address, bytes, gas, cost) => {
    const rules = { ...BASE_RULES, evm: "prague" } as const;
    const contract = precompileAt(fromBareHex(address.toString(16).padStart(40, "0")), rules, 1);
    const input = new Uint8Array(bytes);
    expect(contract?.gas(input, rules)).toBe(gas);
    expect(contract?.cost(input, gas, rules)).toBe(cost);
  },
);
