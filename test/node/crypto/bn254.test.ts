/** Tests of the curve BN254 for contracts. */
import { describe, expect, test } from "@jest/globals";
import { bn254 as oracle } from "@noble/curves/bn254.js";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import { bn254, createBn254 } from "../../../node/crypto/bn254.ts";
import { nobleBn254 } from "../../support/bn254-noble.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const P = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
const R = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
const { G1, G2 } = oracle;
const words = (...values: readonly bigint[]): Uint8Array =>
  concatBytes(...values.map((value) => fixedBytes(value, 32)));

const g1Bytes = (point: typeof G1.Point.ZERO): Uint8Array => {
  if (point.is0()) return new Uint8Array(64);
  const { x, y } = point.toAffine();
  return words(x, y);
};
const g2Bytes = (point: typeof G2.Point.ZERO): Uint8Array => {
  if (point.is0()) return new Uint8Array(128);
  const { x, y } = point.toAffine();
  return words(x.c1, x.c0, y.c1, y.c0);
};
const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && bareHex(bytes);

const backends = [
  { backend: "noble", ...createBn254(nobleBn254) },
  { backend: "WebAssembly", ...bn254() },
];

// Two pairs whose product is one, a vector that implementations of EIP-197 share.
const SHARED_PAIRS = fromBareHex(
  "1c76476f4def4bb94541d57ebba1193381ffa7aa76ada664dd31c16024c43f593034dd2920f673e204fee2811c678745fc819b55d3e9d294e45c9b03a76aef41" +
    "209dd15ebff5d46c4bd888e51a93cf99a7329636c63514396b4a452003a35bf704bf11ca01483bfa8b34b43561848d28905960114c8ac04049af4b6315a41678" +
    "2bb8324af6cfc93537a2ad1a445cfd0ca2a71acd7ac41fadbf933c2a51be344d120a2a4cf30c1bf9845f20c6fe39e07ea2cce61f0c9bb048165fe5e4de877550" +
    "111e129f1cf1097710d41c4ac70fcdfa5ba2023c6ff1cbeac322de49d1b6df7c2032c61a830e3c17286de9462bf242fca2883585b93870a73853face6a6bf411" +
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed" +
    "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
);

describe.each(backends)("bn254 by $backend", (curve) => {
  test("adds as the oracle does, infinity and a point to itself and to its opposite too", () => {
    const random = seededRandom(196);
    const g = G1.Point.BASE;
    const points = [
      G1.Point.ZERO,
      g,
      g.negate(),
      ...Array.from({ length: 6 }, () => g.multiply(scalar(random))),
    ];
    for (const a of points)
      for (const b of points) {
        expect(hex(curve.add(concatBytes(g1Bytes(a), g1Bytes(b))))).toBe(hex(g1Bytes(a.add(b))));
      }
  });

  test("multiplies by any 32 bytes as the oracle does", () => {
    const random = seededRandom(197);
    const point = G1.Point.BASE.multiply(scalar(random));
    const factors = [
      0n,
      1n,
      2n,
      R - 1n,
      R,
      R + 1n,
      P,
      2n ** 256n - 1n,
      ...Array.from({ length: 8 }, () => bytesToBigint(randomBytes(random, 32))),
    ];
    for (const factor of factors) {
      const product = factor % R === 0n ? G1.Point.ZERO : point.multiply(factor % R);
      expect(hex(curve.multiply(concatBytes(g1Bytes(point), fixedBytes(factor, 32))))).toBe(
        hex(g1Bytes(product)),
      );
      expect(hex(curve.multiply(concatBytes(new Uint8Array(64), fixedBytes(factor, 32))))).toBe(
        "00".repeat(64),
      );
    }
  });

  test("input that is short is filled with zeros, and what is too long is not looked at", () => {
    const g = g1Bytes(G1.Point.BASE);
    expect(hex(curve.add(new Uint8Array(0)))).toBe("00".repeat(64));
    expect(hex(curve.add(g))).toBe(hex(g));
    expect(hex(curve.multiply(g))).toBe("00".repeat(64));
    expect(hex(curve.multiply(concatBytes(g, Uint8Array.of(2))))).toBe(
      hex(curve.multiply(concatBytes(g, Uint8Array.of(2), new Uint8Array(31)))),
    );
    const tail = new Uint8Array(50).fill(255);
    expect(hex(curve.add(concatBytes(g, g, tail)))).toBe(hex(curve.add(concatBytes(g, g))));
    expect(hex(curve.multiply(concatBytes(g, fixedBytes(3, 32), tail)))).toBe(
      hex(g1Bytes(G1.Point.BASE.multiply(3n))),
    );
    // Cut in the middle of y: off the curve.
    expect(curve.add(g.subarray(0, 63))).toBeUndefined();
  });

  test("refuses points off the curve and coordinates that are not below the modulus", () => {
    const g = g1Bytes(G1.Point.BASE);
    for (const bad of [
      words(1n, 1n),
      words(0n, 1n),
      words(1n, 0n),
      words(1n + P, 2n),
      words(1n, 2n + P),
      words(P, 0n),
      words(0n, P),
      words(P, P),
      new Uint8Array(64).fill(255),
    ]) {
      expect(curve.add(concatBytes(bad, g))).toBeUndefined();
      expect(curve.add(concatBytes(g, bad))).toBeUndefined();
      expect(curve.multiply(concatBytes(bad, fixedBytes(0, 32)))).toBeUndefined();
      expect(curve.isPairing(concatBytes(bad, g2Bytes(G2.Point.BASE)))).toBeUndefined();
      expect(curve.isPairing(concatBytes(bad, new Uint8Array(128)))).toBeUndefined();
    }
  });

  test("pairs the shared vector to one, and not when a point is changed", () => {
    expect(curve.isPairing(SHARED_PAIRS)).toBe(true);
    expect(curve.isPairing(SHARED_PAIRS.subarray(0, 192))).toBe(false);
    const doubled = concatBytes(
      curve.add(concatBytes(SHARED_PAIRS.subarray(0, 64), SHARED_PAIRS.subarray(0, 64))) ?? new Uint8Array(),
      SHARED_PAIRS.subarray(64),
    );
    expect(curve.isPairing(doubled)).toBe(false);
  });

  test("no pair, and pairs with infinity, are one", () => {
    const zero = new Uint8Array(64);
    expect(curve.isPairing(new Uint8Array(0))).toBe(true);
    expect(curve.isPairing(new Uint8Array(192))).toBe(true);
    expect(curve.isPairing(concatBytes(zero, g2Bytes(G2.Point.BASE)))).toBe(true);
    expect(curve.isPairing(concatBytes(g1Bytes(G1.Point.BASE), new Uint8Array(128)))).toBe(true);
    expect(curve.isPairing(concatBytes(new Uint8Array(192), SHARED_PAIRS))).toBe(true);
  });

  test("is bilinear: a P with b Q against -ab P with Q", () => {
    const random = seededRandom(198);
    for (let round = 0; round < 4; round++) {
      const [a, b] = [scalar(random), scalar(random)];
      const left = concatBytes(g1Bytes(G1.Point.BASE.multiply(a)), g2Bytes(G2.Point.BASE.multiply(b)));
      const right = (factor: bigint): Uint8Array =>
        concatBytes(g1Bytes(G1.Point.BASE.multiply(factor % R).negate()), g2Bytes(G2.Point.BASE));
      expect(curve.isPairing(concatBytes(left, right(a * b)))).toBe(true);
      expect(curve.isPairing(concatBytes(left, right(a * b + 1n)))).toBe(false);
    }
  });

  test("refuses points of the least order that the second curve has, and their sums with points of the group", () => {
    const least = leastOrder();
    let sum = least;
    for (let times = 1; times <= 24; times++) {
      for (const point of [sum, sum.negate(), sum.add(G2.Point.BASE)]) {
        expect(curve.isPairing(concatBytes(g1Bytes(G1.Point.BASE), g2Bytes(point)))).toBeUndefined();
      }
      sum = times < 12 ? sum.double() : sum.add(least);
    }
  });

  test("refuses lengths that are no whole pairs, and points of the second group off its curve or out of its order", () => {
    const pair = concatBytes(g1Bytes(G1.Point.BASE), g2Bytes(G2.Point.BASE));
    for (const length of [1, 64, 191]) expect(curve.isPairing(pair.subarray(0, length))).toBeUndefined();
    expect(curve.isPairing(concatBytes(pair, Uint8Array.of(0)))).toBeUndefined();
    for (let at = 64; at < 192; at += 31) {
      expect(curve.isPairing(pair.with(at, (pair[at] as number) ^ 1))).toBeUndefined();
    }
    expect(curve.isPairing(concatBytes(pair.subarray(0, 64), wrongOrder()))).toBeUndefined();
    expect(curve.isPairing(concatBytes(new Uint8Array(64), wrongOrder()))).toBeUndefined();
    // Real and imaginary parts in the other order.
    const { x, y } = G2.Point.BASE.toAffine();
    expect(curve.isPairing(concatBytes(pair.subarray(0, 64), words(x.c0, x.c1, y.c0, y.c1)))).toBeUndefined();
  });
});

test("takes more pairs than are held at once, infinity among them, and refuses a bad one in every part", () => {
  const base = g2Bytes(G2.Point.BASE);
  const pairs = Array.from({ length: 36 }, (_, i) => {
    if (i % 9 === 4) return concatBytes(new Uint8Array(64), base);
    if (i % 9 === 7) return concatBytes(g1Bytes(G1.Point.BASE), new Uint8Array(128));
    return concatBytes(g1Bytes(G1.Point.BASE.multiply(BigInt(i + 1))), base);
  });
  const total = pairs.reduce((sum, _, i) => (i % 9 === 4 || i % 9 === 7 ? sum : sum + BigInt(i + 1)), 0n);
  const closing = (rest: bigint): Uint8Array =>
    concatBytes(g1Bytes(G1.Point.BASE.multiply(rest).negate()), base);
  expect(bn254().isPairing(concatBytes(...pairs, closing(total)))).toBe(true);
  expect(bn254().isPairing(concatBytes(...pairs, closing(total + 1n)))).toBe(false);
  const bad = concatBytes(new Uint8Array(64), wrongOrder());
  for (const at of [0, 20, 35])
    expect(bn254().isPairing(concatBytes(...pairs.with(at, bad)))).toBeUndefined();
});

function scalar(random: () => number): bigint {
  return (bytesToBigint(randomBytes(random, 32)) % (R - 1n)) + 1n;
}

/** A point on the second curve whose order is not that of the group: the curve has a cofactor. */
function wrongOrder(): Uint8Array {
  return g2Bytes(outsideG2());
}

function outsideG2(): typeof G2.Point.ZERO {
  const { Fp2 } = oracle.fields;
  const { b } = G2.Point.CURVE() as { b: ReturnType<typeof Fp2.create> };
  for (let c0 = 1n; ; c0++) {
    const x = Fp2.fromBigTuple([c0, 1n]);
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), b);
    try {
      const point = G2.Point.fromAffine({ x, y: Fp2.sqrt(square) });
      if (!point.isTorsionFree()) return point;
    } catch {
      // no root: the next x
    }
  }
}

/** The second curve has COFACTOR * R points. */
const COFACTOR = 2n * P - R;
const MIN_PRIME = 10_069n;

function leastOrder(): typeof G2.Point.ZERO {
  let [product, square] = [G2.Point.ZERO, outsideG2()];
  for (let rest = (COFACTOR / MIN_PRIME) * R; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) product = product.add(square);
    square = square.double();
  }
  return product;
}

// What wasm/assembly/bn254/curve.ts says of the points that its loop takes for those of the group.
test("only points of the group become infinity by the map that the pairing's loop ends with", () => {
  const u = 4_965_661_367_192_848_881n;
  const trace = P + 1n - R;
  // 6u + 2 + phi - phi^2 + phi^3 is b + c phi
  const b = 6n * u + 2n + P - trace * P;
  const c = 1n - trace + trace * trace - P;
  const degree = b * b + b * c * trace + c * c * P;
  expect(divisor(degree, COFACTOR * R)).toBe(R);
  expect(COFACTOR % MIN_PRIME).toBe(0n);
});

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b);
}
