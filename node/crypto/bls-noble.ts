/** BLS12-381 signatures by noble, the fallback. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { BlsCurve } from "./bls-curve.ts";

/** Domain of signatures. */
const SIGNING = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
/** Domain of proofs of possession. */
const POSSESSION = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/** BLS12-381 in JavaScript, about twenty times slower than blst. */
export const nobleBls: BlsCurve = createNobleBls(SIGNING);

/** As `nobleBls`, in the domain of proofs of possession, which blst's binding cannot use. */
export const noblePossession: BlsCurve = createNobleBls(POSSESSION);

function createNobleBls(domain: string): BlsCurve {
  const signatures = bls12_381.longSignatures;
  return {
    name: "noble",
    publicKeyOf: (key) => signatures.getPublicKey(key).toBytes(),
    sign: (key, message) =>
      signatures.Signature.toBytes(signatures.sign(signatures.hash(message, domain), key)),
    verify: ({ publicKey, message, signature }) => {
      try {
        const point = bls12_381.G1.Point.fromBytes(publicKey); // refuses points outside the group too
        return !point.is0() && signatures.verify(signature, signatures.hash(message, domain), point);
      } catch {
        return false; // sizes are right, so the only cause is a point that is not in its group
      }
    },
  };
}
