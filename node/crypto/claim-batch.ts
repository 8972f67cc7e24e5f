/**
 * Batches of BLS signatures as bytes for another thread: 176 bytes a claim (message, public key, signature)
 * to it, one byte a claim back.
 */
import type { BlsClaim } from "./bls-curve.ts";

const MESSAGE = 32;
const KEY = 48;
const SIGNATURE = 96;
/** Bytes of one packed claim. */
export const CLAIM_BYTES: number = MESSAGE + KEY + SIGNATURE;

/** Packs claims with messages of 32 bytes; one of a wrong size becomes zeros, which are nobody's signature. */
export function packClaims(claims: readonly BlsClaim[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(claims.length * CLAIM_BYTES);
  claims.forEach(({ message, publicKey, signature }, i) => {
    if (message.length !== MESSAGE || publicKey.length !== KEY || signature.length !== SIGNATURE) return;
    const at = i * CLAIM_BYTES;
    packed.set(message, at);
    packed.set(publicKey, at + MESSAGE);
    packed.set(signature, at + MESSAGE + KEY);
  });
  return packed;
}

/** Checks packed claims in order: 1 or 0 for each. */
export function verifyPacked(
  packed: Uint8Array,
  verifyEach: (claims: readonly BlsClaim[]) => readonly boolean[],
): Uint8Array<ArrayBuffer> {
  const claims = Array.from({ length: packed.length / CLAIM_BYTES }, (_, i): BlsClaim => {
    const claim = packed.subarray(i * CLAIM_BYTES, (i + 1) * CLAIM_BYTES);
    return {
      message: claim.subarray(0, MESSAGE),
      publicKey: claim.subarray(MESSAGE, MESSAGE + KEY),
      signature: claim.subarray(MESSAGE + KEY),
    };
  });
  return Uint8Array.from(verifyEach(claims), Number);
}
