/** The other hashes that contracts ask for, by OpenSSL where it has them. Keccak-256 is in `keccak.ts`. */
import { hash } from "node:crypto";

/** A hash function: 20 or 32 new bytes. */
export type Digest = (message: Uint8Array) => Uint8Array;

/** SHA-256 (FIPS 180-4): 32 bytes. */
export const sha256: Digest = (message) => hash("sha256", message, "buffer");

/** RIPEMD-160 by OpenSSL, or undefined where it was built or configured without it. */
export function nativeRipemd160(name = "ripemd160"): Digest | undefined {
  const digest: Digest = (message) => hash(name, message, "buffer");
  try {
    digest(new Uint8Array(0));
    return digest;
  } catch {
    return undefined; // the caller takes the JavaScript one, which gives the same bytes
  }
}

/** RIPEMD-160 (ISO/IEC 10118-3): 20 bytes. */
export const ripemd160: Digest = nativeRipemd160() ?? (await import("@noble/hashes/legacy.js")).ripemd160;
