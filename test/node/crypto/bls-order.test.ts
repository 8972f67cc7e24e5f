/** Tests of the order of points of BLS12-381. */
import { describe, expect, test } from "@jest/globals";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bytesToBigint } from "../../../node/bytes/integer.ts";
import { areInG1, areInG2 } from "../../../node/crypto/bls-order.ts";
import { bytesOfG1, bytesOfG2, outsideG1, outsideG2 } from "../../support/bls-points.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const { G1, G2, fields } = bls12_381;
const P = fields.Fp.ORDER;
const R = fields.Fr.ORDER;
const U = -0xd201000000010000n;
/** Of the curve over Fp and of the twist over Fp2, over R. */
const COFACTOR_1 = (U - 1n) ** 2n / 3n;
const COFACTOR_2 =
  (U ** 8n - 4n * U ** 7n + 5n * U ** 6n - 4n * U ** 4n + 6n * U ** 3n - 4n * U ** 2n - 4n * U + 13n) / 9n;

interface Point<P> {
  add(other: P): P;
  double(): P;
  negate(): P;
  is0(): boolean;
}

type PointG1 = typeof G1.Point.ZERO;
type PointG2 = typeof G2.Point.ZERO;

const areIn1 = (...points: readonly PointG1[]): boolean =>
  areInG1(
    concatBytes(...points.map(bytesOfG1)),
    points.map((_, i) => 128 * i),
  );
const areIn2 = (...points: readonly PointG2[]): boolean =>
  areInG2(
    concatBytes(...points.map(bytesOfG2)),
    points.map((_, i) => 256 * i),
  );

describe("the first group", () => {
  const small = (factor: bigint): PointG1 => times(outsideG1(), COFACTOR_1 / factor, G1.Point.ZERO);
  itself({ areIn: areIn1, base: G1.Point.BASE, zero: G1.Point.ZERO });
  others({
    areIn: areIn1,
    base: G1.Point.BASE,
    // (0, 2) has order 3
    points: [G1.Point.fromAffine({ x: 0n, y: 2n }), outsideG1(), small(11n ** 2n), small(10_177n ** 2n)],
  });
});

describe("the second group", () => {
  const outside = outsideG2();
  const small = (factor: bigint): PointG2 => times(outside, (COFACTOR_2 * R) / factor, G2.Point.ZERO);
  itself({ areIn: areIn2, base: G2.Point.BASE, zero: G2.Point.ZERO });
  others({
    areIn: areIn2,
    base: G2.Point.BASE,
    points: [outside, small(COFACTOR_2), small(13n ** 2n), small(23n ** 2n), small(2713n), small(11_953n)],
  });
});

// What wasm/assembly/bls12-381-groups.ts says of the maps that points of the groups are told by.
test("no other points are told for those of the groups", () => {
  expect(U ** 4n - U ** 2n + 1n).toBe(R);
  expect(divisor(P - U, COFACTOR_2 * R)).toBe(R);
  expect([COFACTOR_1, COFACTOR_2].map((cofactor) => cofactor & 1n)).toEqual([1n, 1n]);
  // of which points are looked for above
  expect([11n ** 2n, 10_177n ** 2n].map((order) => COFACTOR_1 % order)).toEqual([0n, 0n]);
  expect([13n ** 2n, 23n ** 2n, 2713n, 11_953n].map((order) => COFACTOR_2 % order)).toEqual([0n, 0n, 0n, 0n]);
});

interface Subject<P> {
  readonly areIn: (...points: readonly P[]) => boolean;
  readonly base: P;
}

function itself<P extends Point<P>>({ areIn, base, zero }: Subject<P> & { readonly zero: P }): void {
  test("has its points, infinity too, whatever their number", () => {
    const random = seededRandom(2537);
    const members = Array.from({ length: 12 }, () =>
      times(base, bytesToBigint(randomBytes(random, 32)), zero),
    );
    expect(areIn()).toBe(true);
    expect(areIn(zero)).toBe(true);
    for (let count = 1; count <= members.length; count++)
      expect(areIn(...members.slice(0, count))).toBe(true);
    expect(areIn(zero, base, zero, zero, base.negate(), base.double())).toBe(true);
  });
}

function others<P extends Point<P>>(subject: Subject<P> & { readonly points: readonly P[] }): void {
  const { areIn, base, points } = subject;
  test("has no points of small order, nor their sums with its own, at whatever place", () => {
    const found = points.filter((point) => !point.is0());
    expect(found.length).toBeGreaterThan(2);
    for (const point of found.flatMap(multiples)) {
      for (const bad of [point, point.negate(), point.add(base)]) {
        expect(areIn(bad)).toBe(false);
        expect(areIn(base, bad)).toBe(false);
        expect(areIn(bad, base, base)).toBe(false);
      }
    }
  });
}

function multiples<P extends Point<P>>(point: P): P[] {
  const all = [point];
  for (let last = point; all.length < 12; all.push(last)) last = last.add(point);
  return all.filter((multiple) => !multiple.is0());
}

function times<P extends Point<P>>(point: P, factor: bigint, zero: P): P {
  let [product, square] = [zero, point];
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) product = product.add(square);
    square = square.double();
  }
  return product;
}

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b);
}
