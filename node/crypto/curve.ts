/** The interface of secp256k1, and the values that it takes. */
import type { Hash, PublicKey } from "../bytes/brands.ts";

/** A signature, its digest and the public key. */
export interface SignatureClaim {
  /** 32 bytes. */
  readonly digest: Hash;
  /** r and s, 64 bytes. */
  readonly signature: Uint8Array;
  /** x and y, 64 bytes. */
  readonly publicKey: PublicKey;
}

/** The operations of secp256k1 that have two implementations. Callers have checked every argument. */
export interface Curve {
  readonly name: "native" | "noble";
  /** Deterministic (RFC 6979), low s; r, s, then the recovery id 0 or 1: 65 bytes. The key is in 1..N-1. */
  sign(digest: Hash, key: Uint8Array): Uint8Array;
  /** The 64-byte public key, or undefined when no point fits. `v` is 0..3; r and s are in 1..N-1. */
  recover(digest: Hash, signature: Uint8Array, v: number): PublicKey | undefined;
  /** True when the signature (64 bytes, r and s in 1..N-1, s low) is that of the public key (64 bytes) for the digest. */
  verify(claim: SignatureClaim): boolean;
  /** The 64-byte public key of a key in 1..N-1. */
  publicKeyOf(key: Uint8Array): PublicKey;
  /** The x coordinate (32 bytes) of key * point, or undefined when `publicKey` (64 bytes) is no point. */
  sharedX(key: Uint8Array, publicKey: PublicKey): Uint8Array | undefined;
}
