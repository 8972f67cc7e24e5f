/** BN254 by @noble/curves, the oracle of the kernels. */
import { bn254 } from "@noble/curves/bn254.js";
import { concatBytes, isZero } from "../../node/bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../../node/bytes/integer.ts";
import type { Bn254Curve } from "../../node/crypto/bn254.ts";
import { BN254_PAIR_BYTES } from "../../node/crypto/bn254.ts";

const { G1, G2, fields } = bn254;
type PointG1 = typeof G1.Point.ZERO;
type PointG2 = typeof G2.Point.ZERO;

/** BN254 in JavaScript: what the one in use is compared with. */
export const nobleBn254: Bn254Curve = {
  add: (first, second) => {
    const [a, b] = [pointOfG1(first), pointOfG1(second)];
    return a && b && bytesOf(a.add(b));
  },
  multiply: (bytes, scalar) => {
    const factor = fields.Fr.create(bytesToBigint(scalar));
    const point = pointOfG1(bytes);
    if (point === undefined) return undefined;
    return bytesOf(factor === 0n ? G1.Point.ZERO : point.multiplyUnsafe(factor));
  },
  isProductOne: (pairs) => {
    const points: { g1: PointG1; g2: PointG2 }[] = [];
    for (let at = 0; at < pairs.length; at += BN254_PAIR_BYTES) {
      const pair = pairs.subarray(at, at + BN254_PAIR_BYTES);
      const [g1, g2] = [pointOfG1(pair.subarray(0, 64)), pointOfG2(pair.subarray(64))];
      if (g1 === undefined || g2 === undefined) return undefined;
      if (!g1.is0() && !g2.is0()) points.push({ g1, g2 });
    }
    return points.length === 0 || fields.Fp12.eql(bn254.pairingBatch(points), fields.Fp12.ONE);
  },
};

function pointOfG1(bytes: Uint8Array): PointG1 | undefined {
  if (isZero(bytes)) return G1.Point.ZERO;
  return valid(() => G1.Point.fromAffine({ x: word(bytes, 0), y: word(bytes, 1) }));
}

function pointOfG2(bytes: Uint8Array): PointG2 | undefined {
  if (isZero(bytes)) return G2.Point.ZERO;
  const pair = (at: number): ReturnType<typeof fields.Fp2.create> =>
    fields.Fp2.fromBigTuple([word(bytes, at + 1), word(bytes, at)]);
  const point = valid(() => G2.Point.fromAffine({ x: pair(0), y: pair(2) }));
  return point?.isTorsionFree() ? point : undefined;
}

function valid<P extends { assertValidity(): void }>(make: () => P): P | undefined {
  try {
    const point = make();
    point.assertValidity();
    return point;
  } catch {
    return undefined; // coordinates are in the field, so the only cause is a point off the curve
  }
}

function word(bytes: Uint8Array, index: number): bigint {
  return bytesToBigint(bytes.subarray(index * 32, index * 32 + 32));
}

function bytesOf(point: PointG1): Uint8Array {
  if (point.is0()) return new Uint8Array(64);
  const { x, y } = point.toAffine();
  return concatBytes(fixedBytes(x, 32), fixedBytes(y, 32));
}
