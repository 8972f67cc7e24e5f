/** Points of BLS12-381 that no library writes: on the curve of G1, and not in the group. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { fixedBytes } from "../../node/bytes/integer.ts";

/** What `toBytes` refuses to write: x with the flags "compressed" and "y is the greater". */
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
