/** Addition and multiplication on BN254 by the library mcl. */
import { MCL_BYTES, MCL_CURVES, openMcl } from "./mcl.ts";
import { createPointCodec } from "./mcl-points.ts";

/** Points of G1 as 64 bytes x, y; coordinates below the field's modulus, all zeros for infinity. */
export interface Bn254Sums {
  /** Returns the sum of two points; undefined when one is not on the curve. */
  add(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  /** Returns the point times any 32 bytes; undefined when the point is not on the curve. */
  multiply(point: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
}

const WORD = 32;

/** Opens the additions and multiplications of BN254 by mcl in WebAssembly. */
export function openBn254Sums(): Bn254Sums {
  const mcl = openMcl(MCL_CURVES.bn254);
  const { raw, heap } = mcl;
  const codec = createPointCodec(mcl, { wordBytes: WORD, fieldBytes: WORD });
  const [a, b] = [raw.malloc(MCL_BYTES.g1), raw.malloc(MCL_BYTES.g1)];
  const [factor, bytes] = [raw.malloc(MCL_BYTES.fr), raw.malloc(WORD)];
  return {
    add: (first, second) => {
      if (!codec.readG1(a, first, 0) || !codec.readG1(b, second, 0)) return undefined;
      raw.mclBnG1_add(a, a, b);
      return codec.writeG1(a);
    },
    multiply: (point, scalar) => {
      if (!codec.readG1(a, point, 0)) return undefined;
      heap().set(scalar, bytes);
      raw.mclBnFr_setBigEndianMod(factor, bytes, WORD); // the group has prime order: the rest is the same factor
      raw.mclBnG1_mul(a, a, factor);
      return codec.writeG1(a);
    },
  };
}
