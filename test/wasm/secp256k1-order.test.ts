/** Tests of the constants and vectors of the endomorphism of secp256k1. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { secp256k1 } from "@noble/curves/secp256k1.js";

/** The numbers of a constant of the file, the lowest limb of 32 bits first. */
function limbs(name: string): bigint {
  const text = readFileSync("wasm/assembly/secp256k1/order.ts", "utf8");
  const found =
    new RegExp(`const ${name}: usize = memory\\.data<u32>\\(\\s*\\[([^\\]]*)\\]`).exec(text)?.[1] ?? "";
  const words = found.split(",").filter((word) => word.trim() !== "");
  return words.reduce((sum, word, i) => sum + (BigInt(word.trim()) << BigInt(32 * i)), 0n);
}

const N = secp256k1.Point.Fn.ORDER;
const toSigned = (value: bigint): bigint => BigInt.asIntN(160, value);

test("the order's constants are those of its formulas", () => {
  expect(limbs("ORDER_LESS_2")).toBe(N - 2n);
  expect(limbs("FORM")).toBe(2n ** 512n % N);
  expect(limbs("ONE_FORMED")).toBe(2n ** 256n % N);
  expect(limbs("COMPLEMENT")).toBe(2n ** 256n - N);
});

test("the short vectors are vectors of the endomorphism's lattice, and G1 and G2 belong to them", () => {
  const [a1, b1, a2, b2] = ["SHORT_A1", "SHORT_B1", "SHORT_A2", "SHORT_B2"].map((name) =>
    toSigned(limbs(name)),
  );
  // The factor l of (x, y) -> (b x, y) is a cube root of one; a + b l = 0 for both vectors.
  const l = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;
  expect((l * l + l + 1n) % N).toBe(0n);
  expect(((a1 ?? 0n) + (b1 ?? 0n) * l) % N).toBe(0n);
  expect(((a2 ?? 0n) + (b2 ?? 0n) * l) % N).toBe(0n);
  expect((a1 ?? 0n) * (b2 ?? 0n) - (a2 ?? 0n) * (b1 ?? 0n)).toBe(N);
  expect(limbs("G1")).toBe((2n ** 384n * (b2 ?? 0n)) / N);
  expect(limbs("G2")).toBe((2n ** 384n * -(b1 ?? 0n)) / N);
});
