import { expect, test } from "@jest/globals";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import { areInG1 } from "../../../node/crypto/bls-order.ts";
import { outsideG1 } from "../../support/bls-points.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const { Point } = bls12_381.G1;
type Point = typeof Point.ZERO;
/** The cofactor's primes; all but the first are in it twice. */
const PRIMES = [3n, 11n, 10_177n, 859_267n, 52_437_899n];
const COFACTOR = PRIMES.reduce((product, prime) => product * prime * prime, 1n) / 3n;

const bytesOf = (point: Point): Uint8Array => {
  if (point.is0()) return new Uint8Array(128);
  const { x, y } = point.toAffine();
  return concatBytes(fixedBytes(x, 64), fixedBytes(y, 64));
};
const isIn = (...points: readonly Point[]): boolean =>
  areInG1(
    concatBytes(...points.map(bytesOf)),
    points.map((_, i) => 128 * i),
  );

const random = seededRandom(2537);
const members = Array.from({ length: 24 }, () =>
  Point.BASE.multiply((bytesToBigint(randomBytes(random, 32)) % (Point.Fn.ORDER - 1n)) + 1n),
);

test("points of the group are in it, infinity too, whatever their number", () => {
  expect(isIn()).toBe(true);
  expect(isIn(Point.ZERO)).toBe(true);
  for (let count = 1; count <= members.length; count++) expect(isIn(...members.slice(0, count))).toBe(true);
  expect(isIn(Point.ZERO, Point.BASE, Point.ZERO, Point.ZERO, Point.BASE.negate(), Point.BASE.double())).toBe(
    true,
  );
});

test("points of small order, and their sums with points of the group, are not, at whatever place", () => {
  const outside = outsideG1();
  expect(COFACTOR).toBe(0x396c8c005555e1568c00aaab0000aaabn);
  expect(outside.multiplyUnsafe(COFACTOR).is0()).toBe(true);
  const orders = PRIMES.map((prime) =>
    outside.multiplyUnsafe(COFACTOR / (prime === 3n ? 3n : prime * prime)),
  );
  expect(orders.filter((point) => !point.is0()).length).toBeGreaterThan(1);
  const [base, other] = [Point.BASE, members[0] as Point];
  // (0, 2) has order 3
  const points = [Point.fromAffine({ x: 0n, y: 2n }), outside, ...orders.filter((point) => !point.is0())];
  for (const least of points) {
    for (const point of multiples(least).filter((multiple) => !multiple.is0())) {
      for (const bad of [point, point.negate(), point.add(other)]) {
        expect(isIn(bad)).toBe(false);
        expect(isIn(base, bad)).toBe(false);
        expect(isIn(bad, base, other)).toBe(false);
      }
    }
  }
});

function multiples(point: Point): Point[] {
  const all = [point];
  for (let last = point; all.length < 12; all.push(last)) last = last.add(point);
  return all;
}
