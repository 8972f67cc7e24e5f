/** Tests of the operations on BLS12-381 for contracts (EIP-2537). */
import { expect, test } from "@jest/globals";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import { isBlsPairing, mapToG1, sumG1 } from "../../../node/crypto/bls-points.ts";
import { bytesOfG1, bytesOfG2, outsideG1, outsideG2 } from "../../support/bls-points.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const { G1, G2, fields } = bls12_381;

const pair = (factor: bigint): Uint8Array =>
  concatBytes(bytesOfG1(G1.Point.BASE.multiply(factor)), bytesOfG2(G2.Point.BASE));

test("sums of more terms than are held at once are those of their parts", () => {
  const terms = Array.from({ length: 300 }, (_, index) => ({
    point: G1.Point.BASE.multiply(BigInt(index * index + 1)),
    factor: BigInt(index) ** 20n,
  }));
  const input = concatBytes(
    ...terms.map(({ point, factor }) => concatBytes(bytesOfG1(point), fixedBytes(factor, 32))),
  );
  const total = terms.reduce((sum, { factor }, index) => sum + factor * BigInt(index * index + 1), 0n);
  const expected = bytesOfG1(G1.Point.BASE.multiply(total % fields.Fr.ORDER));
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

test("pairings are bilinear: a P with b Q against -ab P with Q", () => {
  const random = seededRandom(381);
  for (let round = 0; round < 4; round++) {
    const [a, b] = [scalar(random), scalar(random)];
    const left = concatBytes(bytesOfG1(G1.Point.BASE.multiply(a)), bytesOfG2(G2.Point.BASE.multiply(b)));
    const right = (factor: bigint): Uint8Array => pair(fields.Fr.neg(fields.Fr.create(factor)));
    expect(isBlsPairing(concatBytes(left, right(a * b)))).toBe(true);
    expect(isBlsPairing(concatBytes(left, right(a * b + 1n)))).toBe(false);
    expect(isBlsPairing(left)).toBe(false);
  }
});

test("a pairing refuses points off their curves, out of their groups and out of the field, in every part", () => {
  const good = pair(1n);
  const [first, second] = [good.subarray(0, 128), good.subarray(128)];
  const cutG2 = bytesOfG2(outsideG2());
  const bad = [
    concatBytes(bytesOfG1(outsideG1()), second),
    concatBytes(bytesOfG1(outsideG1()), new Uint8Array(256)),
    concatBytes(first, cutG2),
    concatBytes(new Uint8Array(128), cutG2),
    ...Array.from({ length: 6 }, (_, word) =>
      good.with(64 * word + 63, (good[64 * word + 63] as number) ^ 1),
    ),
    ...Array.from({ length: 6 }, (_, word) => withWord(new Uint8Array(384), word, fields.Fp.ORDER)),
    ...Array.from({ length: 6 }, (_, word) => withWord(good, word, wordOf(good, word) + fields.Fp.ORDER)),
    ...Array.from({ length: 6 }, (_, word) => withWord(good, word, wordOf(good, word) + (1n << 384n))),
  ];
  for (const input of bad) {
    expect(isBlsPairing(input)).toBeUndefined();
    expect(isBlsPairing(concatBytes(good, input))).toBeUndefined();
  }
  const many = Array.from({ length: 17 }, () => good);
  expect(isBlsPairing(concatBytes(...many, bad[2] as Uint8Array))).toBeUndefined();
  expect(isBlsPairing(concatBytes(bad[2] as Uint8Array, ...many))).toBeUndefined();
  for (const length of [0, 1, 383, 385]) expect(isBlsPairing(new Uint8Array(length))).toBeUndefined();
});

function scalar(random: () => number): bigint {
  return (bytesToBigint(randomBytes(random, 32)) % (fields.Fr.ORDER - 1n)) + 1n;
}

function wordOf(bytes: Uint8Array, word: number): bigint {
  return bytesToBigint(bytes.subarray(64 * word, 64 * word + 64));
}

function withWord(bytes: Uint8Array, word: number, value: bigint): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed.set(fixedBytes(value, 64), 64 * word);
  return changed;
}
