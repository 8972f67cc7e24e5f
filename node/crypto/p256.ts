/**
 * Signatures on the curve P-256 (secp256r1, FIPS 186-5) as contracts check them (EIP-7951). OpenSSL signs digests
 * only together with their hash, so this is JavaScript; nothing is loaded before it is asked for.
 */
import { concatBytes } from "../bytes/compare.ts";

/** True when the input, 160 bytes digest, r, s, x, y, is a valid signature; false for any other bytes. */
export type VerifyP256 = (input: Uint8Array) => boolean;

/** Bytes of an input. */
export const P256_INPUT_BYTES = 160;

const UNCOMPRESSED = Uint8Array.of(4);

/** The check, loaded once; s may be high. Some 2 ms a signature. */
export async function loadP256(): Promise<VerifyP256> {
  const { p256 } = await import("@noble/curves/nist.js");
  return (input) => {
    if (input.length !== P256_INPUT_BYTES) return false;
    const publicKey = concatBytes(UNCOMPRESSED, input.subarray(96));
    try {
      return p256.verify(input.subarray(32, 96), input.subarray(0, 32), publicKey, {
        prehash: false,
        lowS: false,
      });
    } catch {
      return false; // r, s out of range or no point of the curve
    }
  };
}
