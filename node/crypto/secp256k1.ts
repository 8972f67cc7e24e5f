/**
 * The signatures of transactions, seals and messages, by the fastest implementation that this machine has.
 * Whoever starts a node looks at `secp256k1Backend` and warns when it is not "native". Sizes and ranges are
 * tested here, once, so both implementations answer alike on every input. All byte strings are big-endian.
 */
import type { Address, Hash, PublicKey } from "../bytes/brands.ts";
import type { Curve, SignatureClaim } from "./curve.ts";
import { CryptoError } from "./error.ts";
import { hashInput, keccakInput, keccakOutput } from "./keccak.ts";
import { loadNativeCurve } from "./secp256k1-native.ts";

/** Signing and recovery over one implementation of the curve; see the functions of the same names below. */
export interface Secp256k1 {
  readonly backend: "native" | "noble";
  sign(digest: Hash, key: Uint8Array): Uint8Array;
  recover(digest: Hash, signature: Uint8Array): PublicKey | undefined;
  recoverAnyId(digest: Hash, signature: Uint8Array): PublicKey | undefined;
  verify(claim: SignatureClaim): boolean;
  publicKeyOf(key: Uint8Array): PublicKey;
  ecdh(key: Uint8Array, publicKey: PublicKey): Uint8Array | undefined;
}

// SEC 2 section 2.4.1: the group order N, and half of it (EIP-2).
const ORDER = Buffer.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", "hex");
const HALF_ORDER = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex");
const ZERO = new Uint8Array(32);

/** Largest recovery id of a transaction (EIP-2), and of SEC 1 section 4.1.6, where bit 1 adds N to r. */
const MAX_PARITY = 1;
const MAX_RECOVERY_ID = 3;

/** Adds the checks of sizes and ranges to an implementation. */
export function createSecp256k1(curve: Curve): Secp256k1 {
  return {
    backend: curve.name,
    sign: (digest, key) => {
      checkKey(key);
      if (digest.length !== 32)
        throw new CryptoError("bad-digest", `a digest has 32 bytes, not ${digest.length}`);
      return curve.sign(digest, key);
    },
    recover: (digest, signature) => recoverUpTo(MAX_PARITY, curve, digest, signature),
    recoverAnyId: (digest, signature) => recoverUpTo(MAX_RECOVERY_ID, curve, digest, signature),
    verify: (claim) => {
      const { digest, signature, publicKey } = claim;
      if (digest.length !== 32 || signature.length !== 64 || publicKey.length !== 64) return false;
      const s = signature.subarray(32);
      return isScalar(signature.subarray(0, 32)) && isScalar(s) && isLowS(s) && curve.verify(claim);
    },
    publicKeyOf: (key) => {
      checkKey(key);
      return curve.publicKeyOf(key);
    },
    ecdh: (key, publicKey) => {
      checkKey(key);
      return publicKey.length === 64 ? curve.sharedX(key, publicKey) : undefined;
    },
  };
}

function recoverUpTo(
  maxId: number,
  curve: Curve,
  digest: Hash,
  signature: Uint8Array,
): PublicKey | undefined {
  if (digest.length !== 32 || signature.length !== 65) return undefined;
  const v = signature[64] as number; // 65 bytes long
  if (v > maxId) return undefined;
  if (!isScalar(signature.subarray(0, 32)) || !isScalar(signature.subarray(32, 64))) return undefined;
  return curve.recover(digest, signature, v);
}

function checkKey(key: Uint8Array): void {
  if (!isScalar(key))
    throw new CryptoError("bad-private-key", "a private key has 32 bytes and lies in 1..N-1");
}

/** True for 32 bytes that hold an integer in 1..N-1, as r and s of a signature must. */
export function isScalar(bytes: Uint8Array): boolean {
  return bytes.length === 32 && Buffer.compare(bytes, ORDER) < 0 && Buffer.compare(bytes, ZERO) !== 0;
}

/** True for 32 bytes that are a private key: 1..N-1. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  return isScalar(bytes);
}

/** True when s (32 bytes) is at most half the order, as EIP-2 demands. */
export function isLowS(s: Uint8Array): boolean {
  return s.length === 32 && Buffer.compare(s, HALF_ORDER) <= 0;
}

const chosen = createSecp256k1(loadNativeCurve() ?? (await import("./secp256k1-noble.ts")).nobleCurve);

/** The implementation in use: "noble" means that the native one did not load and recovery is slow. */
export const secp256k1Backend: "native" | "noble" = chosen.backend;

/** Signs a 32-byte digest: r, s (low), v (0 or 1), 65 bytes. Throws `CryptoError` for a bad key or digest. */
export function sign(digest: Hash, key: Uint8Array): Uint8Array {
  return chosen.sign(digest, key);
}

/** Returns the signer's 64-byte public key; undefined when none is recovered. v is 0 or 1. Never throws. */
export function recover(digest: Hash, signature: Uint8Array): PublicKey | undefined {
  return chosen.recover(digest, signature);
}

/**
 * Returns the signer's public key like `recover`, also for the recovery ids 2 and 3, whose point has the x
 * coordinate r + N (SEC 1 section 4.1.6): `Ecrecover` of `crypto/signature_cgo.go@v2.2.2`.
 */
export function recoverAnyId(digest: Hash, signature: Uint8Array): PublicKey | undefined {
  return chosen.recoverAnyId(digest, signature);
}

/** True for a valid signature with a low s; false for any other bytes. Never throws. */
export function verify(claim: SignatureClaim): boolean {
  return chosen.verify(claim);
}

/** Returns the 64-byte public key x, y of a private key. Throws `CryptoError` `bad-private-key`. */
export function publicKeyOf(key: Uint8Array): PublicKey {
  return chosen.publicKeyOf(key);
}

/**
 * Returns the shared secret (ECDH): the x coordinate of the common point, 32 bytes; undefined when the public
 * key is not a point of the curve. Throws `CryptoError` `bad-private-key`.
 */
export function ecdh(key: Uint8Array, publicKey: PublicKey): Uint8Array | undefined {
  return chosen.ecdh(key, publicKey);
}

/** Returns the address of a 64-byte public key: the last 20 bytes of its hash. */
export function addressOfPublicKey(publicKey: PublicKey): Address<ArrayBuffer> {
  keccakInput.set(publicKey);
  hashInput(publicKey.length);
  return new Uint8Array(keccakOutput.subarray(12));
}

/** Returns the address of a private key. Throws `CryptoError` `bad-private-key`. */
export function addressOfKey(key: Uint8Array): Address<ArrayBuffer> {
  return addressOfPublicKey(publicKeyOf(key));
}
