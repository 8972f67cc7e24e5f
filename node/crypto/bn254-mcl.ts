/** Sums and products on bn254 by mcl. */
import type { Bn254Curve } from "./bn254.ts";
import { MCL_BYTES, MCL_CURVES, openMcl } from "./mcl.ts";
import { createPointCodec } from "./mcl-points.ts";

const WORD = 32;

/** The sums and products of BN254 by mcl in WebAssembly. */
export function openBn254Sums(): Pick<Bn254Curve, "add" | "multiply"> {
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
