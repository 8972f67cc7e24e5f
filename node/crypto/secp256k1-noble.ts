/** secp256k1 by noble, the fallback. */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { concatBytes } from "../bytes/compare.ts";
import type { Curve } from "./curve.ts";

const UNCOMPRESSED = Uint8Array.of(4);

/** secp256k1 in JavaScript, for machines without the native binding: some thirty times slower to recover. */
export const nobleCurve: Curve = {
  name: "noble",
  sign: (digest, key) => {
    // The library puts the recovery id first.
    const recovered = secp256k1.sign(digest, key, { prehash: false, lowS: true, format: "recovered" });
    const signature = new Uint8Array(65);
    signature.set(recovered.subarray(1));
    signature[64] = recovered[0] as number; // 65 bytes long
    return signature;
  },
  recover: (digest, signature, v) => {
    try {
      return secp256k1.Signature.fromBytes(signature.subarray(0, 64), "compact")
        .addRecoveryBit(v)
        .recoverPublicKey(digest)
        .toBytes(false)
        .subarray(1);
    } catch {
      return undefined; // arguments are well formed, so the only cause is that no point fits
    }
  },
  verify: ({ digest, signature, publicKey }) => {
    try {
      return secp256k1.verify(signature, digest, concatBytes(UNCOMPRESSED, publicKey), { prehash: false });
    } catch {
      return false; // r and s are in range, so the only cause is a key off the curve
    }
  },
  publicKeyOf: (key) => secp256k1.getPublicKey(key, false).subarray(1),
  sharedX: (key, publicKey) => {
    try {
      return secp256k1.getSharedSecret(key, concatBytes(UNCOMPRESSED, publicKey), false).subarray(1, 33);
    } catch {
      return undefined; // the key is in range, so the only cause is a point off the curve
    }
  },
};
