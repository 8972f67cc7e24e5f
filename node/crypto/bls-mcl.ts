/** BLS12-381 by mcl, opened by the first call: one instance for all contracts of EIP-2537 and EIP-4844. */
import { MCL_CURVES, type Mcl, openMcl } from "./mcl.ts";
import { createPointCodec, type PointCodec } from "./mcl-points.ts";

/** The instance, and its points in the form of EIP-2537. */
export interface BlsMcl extends Mcl {
  readonly codec: PointCodec;
}

/** Bytes of a coordinate: 16 zeros, then 48 of the field's element. */
export const BLS_WORD_BYTES = 64;

let opened: BlsMcl | undefined;

/** Returns the instance of this thread. */
export function blsMcl(): BlsMcl {
  if (opened !== undefined) return opened;
  const mcl = openMcl(MCL_CURVES.bls12381);
  const codec = createPointCodec(mcl, { wordBytes: BLS_WORD_BYTES, fieldBytes: 48 });
  opened = { ...mcl, codec };
  return opened;
}
