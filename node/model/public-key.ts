/** Compressed public keys of secp256k1 (SEC 1 section 2.3.4): 2 or 3 for an even or odd y, then x. */

import type { PublicKey } from "../bytes/brands.ts";
import { readBigEndian } from "../bytes/rlp-cursor.ts";
import { isScalar, recover } from "../crypto/secp256k1.ts";

const P = 2n ** 256n - 2n ** 32n - 977n;
const NO_DIGEST = new Uint8Array(32);

/** Returns the 64-byte point x, y of a 33-byte compressed key, or undefined when there is none. */
export function decompressPublicKey(compressed: Uint8Array): PublicKey | undefined {
  const sign = compressed[0];
  if (compressed.length !== 33 || (sign !== 2 && sign !== 3)) return undefined;
  const x = compressed.subarray(1);
  if (!isScalar(x)) return decompressNonScalar(x, sign === 3);
  // Recovery gives (s R - z G) / r. With the digest z zero and s = r = x that is R: the point that has this x.
  const signature = new Uint8Array(65);
  signature.set(x);
  signature.set(x, 32);
  signature[64] = sign - 2;
  return recover(NO_DIGEST, signature);
}

/** Compresses a 64-byte point to 33 bytes. */
export function compressPublicKey(publicKey: PublicKey): Uint8Array {
  const compressed = new Uint8Array(33);
  compressed.set(publicKey.subarray(0, 32), 1);
  compressed[0] = 2 + ((publicKey[63] ?? 0) & 1);
  return compressed;
}

/** Decompresses an x that is not a scalar: 0, or at least the group's order. */
function decompressNonScalar(bytes: Uint8Array, odd: boolean): Uint8Array | undefined {
  const x = readBigEndian(bytes, 0, 32);
  if (x >= P) return undefined;
  const square = (x * x * x + 7n) % P;
  const root = power(square, (P + 1n) / 4n);
  if ((root * root) % P !== square) return undefined;
  const y = ((root & 1n) === 1n) === odd ? root : P - root;
  return Buffer.from(x.toString(16).padStart(64, "0") + y.toString(16).padStart(64, "0"), "hex");
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
