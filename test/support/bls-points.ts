/** Points of BLS12-381 that no library writes: on a curve, and not in its group. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { concatBytes } from "../../node/bytes/compare.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";

/** Encodes x with the flags "compressed" and "y is the greater", which `toBytes` refuses. */
export function compressedG1(point: typeof bls12_381.G1.Point.ZERO): Uint8Array {
  const { x, y } = point.toAffine();
  const bytes = fixedBytes(x, 48);
  bytes[0] = (bytes[0] as number) | 0x80 | (y > bls12_381.fields.Fp.neg(y) ? 0x20 : 0);
  return bytes;
}

/** A point of the curve whose order divides the cofactor: r times one that is not in the group. */
export function outsideG1(): typeof bls12_381.G1.Point.ZERO {
  const { Fp } = bls12_381.fields;
  for (let x = 4n; ; x++) {
    try {
      const point = bls12_381.G1.Point.fromAffine({ x, y: Fp.sqrt(x ** 3n + 4n) });
      if (!point.isTorsionFree()) return point.multiplyUnsafe(bls12_381.fields.Fr.ORDER - 1n).add(point);
    } catch {
      // no root: the next x
    }
  }
}

/** A point of the twist that is not in the group. */
export function outsideG2(): typeof bls12_381.G2.Point.ZERO {
  const { Fp2 } = bls12_381.fields;
  const { b } = bls12_381.G2.Point.CURVE() as { b: ReturnType<typeof Fp2.create> };
  for (let c0 = 1n; ; c0++) {
    const x = Fp2.fromBigTuple([c0, 1n]);
    try {
      const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), b));
      const point = bls12_381.G2.Point.fromAffine({ x, y });
      if (!point.isTorsionFree()) return point;
    } catch {
      // no root: the next x
    }
  }
}

/** A point of G1's curve as contracts write it (EIP-2537). */
export function bytesOfG1(point: typeof bls12_381.G1.Point.ZERO): Uint8Array {
  if (point.is0()) return new Uint8Array(128);
  const { x, y } = point.toAffine();
  return concatBytes(fixedBytes(x, 64), fixedBytes(y, 64));
}

/** The same of the twist. */
export function bytesOfG2(point: typeof bls12_381.G2.Point.ZERO): Uint8Array {
  if (point.is0()) return new Uint8Array(256);
  const { x, y } = point.toAffine();
  return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map((part) => fixedBytes(part, 64)));
}
