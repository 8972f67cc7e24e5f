import { expect, test } from "@jest/globals";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { isBlsPairing, mapToG1, sumG1 } from "../../../node/crypto/bls-points.ts";

const { G1, G2, fields } = bls12_381;

const g1 = (point: typeof G1.Point.ZERO): Uint8Array => {
  const { x, y } = point.toAffine();
  return concatBytes(fixedBytes(x, 64), fixedBytes(y, 64));
};
const g2 = (point: typeof G2.Point.ZERO): Uint8Array => {
  const { x, y } = point.toAffine();
  return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map((part) => fixedBytes(part, 64)));
};

const pair = (factor: bigint): Uint8Array =>
  concatBytes(g1(G1.Point.BASE.multiply(factor)), g2(G2.Point.BASE));

test("sums of more terms than are held at once are those of their parts", () => {
  const terms = Array.from({ length: 300 }, (_, index) => ({
    point: G1.Point.BASE.multiply(BigInt(index * index + 1)),
    factor: BigInt(index) ** 20n,
  }));
  const input = concatBytes(
    ...terms.map(({ point, factor }) => concatBytes(g1(point), fixedBytes(factor, 32))),
  );
  const total = terms.reduce((sum, { factor }, index) => sum + factor * BigInt(index * index + 1), 0n);
  const expected = g1(G1.Point.BASE.multiply(total % fields.Fr.ORDER));
  expect(bareHex(sumG1(input) ?? new Uint8Array())).toBe(bareHex(expected));
});

test("products of more pairs than are held at once, some with infinity, are whole", () => {
  const pairs = Array.from({ length: 40 }, (_, index) =>
    index % 9 === 4 ? new Uint8Array(384) : pair(BigInt(index + 1)),
  );
  const total = pairs.reduce((sum, _, index) => (index % 9 === 4 ? sum : sum + BigInt(index + 1)), 0n);
  const closing = pair(fields.Fr.ORDER - total);
  expect(isBlsPairing(concatBytes(...pairs, closing))).toBe(true);
  expect(isBlsPairing(concatBytes(...pairs, pair(fields.Fr.ORDER - total - 1n)))).toBe(false);
  expect(isBlsPairing(concatBytes(new Uint8Array(384)))).toBe(true);
});

test("coordinates that are not below the modulus, or longer, are refused", () => {
  const { ORDER } = fields.Fp;
  expect(mapToG1(fixedBytes(ORDER - 1n, 64))).toBeDefined();
  expect(mapToG1(fixedBytes(ORDER, 64))).toBeUndefined();
  expect(mapToG1(fixedBytes(1n << 384n, 64))).toBeUndefined();
  expect(mapToG1(fixedBytes(1n << 511n, 64))).toBeUndefined();
});
