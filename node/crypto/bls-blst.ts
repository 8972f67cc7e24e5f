/** BLS12-381 signatures by blst, the fast backend. */
import { createRequire } from "node:module";
import type * as Blst from "@chainsafe/blst";
import type { BlsClaim, BlsCurve } from "./bls-curve.ts";

/** Operations of blst beyond the curve's interface. */
export interface BlstCurve extends BlsCurve {
  /**
   * Verifies each claim. Valid claims take half the time of single checks: their sum with random factors of
   * 64 bits is checked, which an invalid claim passes once in 2^64 times.
   */
  verifyEach(claims: readonly BlsClaim[]): readonly boolean[];
}

/** Loads BLS12-381 by blst through its native binding; undefined when it does not load on this machine. */
export function loadBlst(): BlstCurve | undefined {
  try {
    // The package's main entry, whose types these are; it picks the binary of this platform.
    return createBlstCurve(createRequire(import.meta.url)("@chainsafe/blst") as typeof Blst);
  } catch {
    return undefined; // the caller chooses the other implementation and says so
  }
}

function createBlstCurve(blst: typeof Blst): BlstCurve {
  const setOf = ({ publicKey, message, signature }: BlsClaim): Blst.SignatureSet => ({
    msg: message,
    pk: blst.PublicKey.fromBytes(publicKey, true),
    sig: blst.Signature.fromBytes(signature, true),
  });
  const verify = (claim: BlsClaim): boolean => {
    try {
      const { msg, pk, sig } = setOf(claim);
      return blst.verify(msg, pk, sig);
    } catch {
      return false; // sizes are right, so the only cause is a point that is not in its group
    }
  };
  const doAllHold = (claims: readonly BlsClaim[]): boolean => {
    try {
      return blst.verifyMultipleAggregateSignatures(claims.map(setOf));
    } catch {
      return false; // as above, for one of them
    }
  };
  return {
    name: "blst",
    publicKeyOf: (key) => blst.SecretKey.fromBytes(key).toPublicKey().toBytes(),
    sign: (key, message) => blst.SecretKey.fromBytes(key).sign(message).toBytes(),
    verify,
    verifyEach: (claims) =>
      claims.length > 1 && doAllHold(claims) ? claims.map(() => true) : claims.map(verify),
  };
}
