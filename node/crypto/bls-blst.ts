import { createRequire } from "node:module";
import type * as Blst from "@chainsafe/blst";
import type { BlsCurve } from "./bls.ts";

/** BLS12-381 by blst through its native binding, or undefined when it does not load on this machine. */
export function loadBlst(): BlsCurve | undefined {
  try {
    // The package's main entry, whose types these are; it picks the binary of this platform.
    return createBlstCurve(createRequire(import.meta.url)("@chainsafe/blst") as typeof Blst);
  } catch {
    return undefined; // the caller chooses the other implementation and says so
  }
}

function createBlstCurve(blst: typeof Blst): BlsCurve {
  return {
    name: "blst",
    publicKeyOf: (key) => blst.SecretKey.fromBytes(key).toPublicKey().toBytes(),
    sign: (key, message) => blst.SecretKey.fromBytes(key).sign(message).toBytes(),
    verify: ({ publicKey, message, signature }) => {
      try {
        const point = blst.PublicKey.fromBytes(publicKey, true);
        return blst.verify(message, point, blst.Signature.fromBytes(signature, true));
      } catch {
        return false; // sizes are right, so the only cause is a point that is not in its group
      }
    },
  };
}
