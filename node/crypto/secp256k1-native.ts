/** secp256k1 by the native library. */
import { createRequire } from "node:module";
import type * as Bindings from "secp256k1";
import { concatBytes } from "../bytes/compare.ts";
import { callNative } from "../runtime/call-gate.ts";
import type { Curve } from "./curve.ts";

const UNCOMPRESSED = Uint8Array.of(4);

/**
 * Loads libsecp256k1 through its native binding; undefined when it does not load on this machine. The
 * package's main entry would silently fall back to slow JavaScript, so the binding is loaded directly.
 */
export function loadNativeCurve(): Curve | undefined {
  try {
    // The same functions as the package's main entry, whose types these are.
    return createNativeCurve(createRequire(import.meta.url)("secp256k1/bindings.js") as typeof Bindings);
  } catch {
    return undefined; // the caller chooses the other implementation and says so
  }
}

function createNativeCurve(secp: typeof Bindings): Curve {
  return {
    name: "native",
    sign: (digest, key) => {
      const signed = callNative(() => secp.ecdsaSign(digest, key));
      const signature = new Uint8Array(65);
      signature.set(signed.signature);
      signature[64] = signed.recid;
      return signature;
    },
    recover: (digest, signature, v) => {
      try {
        return callNative(() => secp.ecdsaRecover(signature.subarray(0, 64), v, digest, false)).subarray(1);
      } catch {
        return undefined; // arguments are well formed, so the only cause is that no point fits
      }
    },
    verify: ({ digest, signature, publicKey }) => {
      try {
        return callNative(() => secp.ecdsaVerify(signature, digest, concatBytes(UNCOMPRESSED, publicKey)));
      } catch {
        return false; // r and s are in range, so the only cause is a key off the curve
      }
    },
    publicKeyOf: (key) => callNative(() => secp.publicKeyCreate(key, false)).subarray(1),
    sharedX: (key, publicKey) => {
      try {
        const point = callNative(() =>
          secp.publicKeyTweakMul(concatBytes(UNCOMPRESSED, publicKey), key, false),
        );
        return point.subarray(1, 33);
      } catch {
        return undefined; // the key is in range, so the only cause is a point off the curve
      }
    },
  };
}
