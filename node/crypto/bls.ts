/**
 * BLS12-381 signatures as Randao uses them: public keys in G1 (48 bytes), signatures in G2 (96), the suite
 * BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_ of Ethereum's consensus layer. A backend loads at its
 * first use. A node that needs signatures warns when `backend` is not "blst". Sizes and ranges are tested here, once, so
 * both backends answer alike on every input.
 */
import type { BlsClaim, BlsCurve } from "./bls-curve.ts";
import { isBlsKey } from "./bls-key.ts";
import { CryptoError } from "./error.ts";

/** BLS signatures. Keys are 32 bytes, big-endian, see `bls-key.ts`. */
export interface Bls {
  readonly backend: "blst" | "noble";
  /** Returns the public key, 48 bytes. Throws `CryptoError` `bad-private-key`. */
  publicKeyOf(key: Uint8Array): Uint8Array;
  /** Returns the deterministic signature, 96 bytes. Throws `CryptoError` `bad-private-key`. */
  sign(key: Uint8Array, message: Uint8Array): Uint8Array;
  /** False for any other bytes, points outside the group and the point at infinity; never throws. */
  verify(claim: BlsClaim): boolean;
}

/** Bytes of a public key. */
export const BLS_PUBLIC_KEY_BYTES = 48;
/** Bytes of a signature and of a proof of possession. */
export const BLS_SIGNATURE_BYTES = 96;

/** Adds the checks of sizes and keys to an implementation. */
export function createBls(curve: BlsCurve): Bls {
  return {
    backend: curve.name,
    publicKeyOf: (key) => {
      checkBlsKey(key);
      return curve.publicKeyOf(key);
    },
    sign: (key, message) => {
      checkBlsKey(key);
      return curve.sign(key, message);
    },
    verify: (claim) => hasBlsSizes(claim) && curve.verify(claim),
  };
}

/** True when key and signature have the right number of bytes. */
export function hasBlsSizes({ publicKey, signature }: Omit<BlsClaim, "message">): boolean {
  return publicKey.length === BLS_PUBLIC_KEY_BYTES && signature.length === BLS_SIGNATURE_BYTES;
}

/** Throws `CryptoError` `bad-private-key` unless the bytes are a key. */
export function checkBlsKey(key: Uint8Array): void {
  if (!isBlsKey(key)) throw new CryptoError("bad-private-key", "a BLS key has 32 bytes and lies in 1..r-1");
}

let loading: Promise<Bls> | undefined;

/** Loads the fastest implementation that this machine has, once. */
export function loadBls(): Promise<Bls> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Bls> {
  const { loadBlst } = await import("./bls-blst.ts");
  return createBls(loadBlst() ?? (await import("./bls-noble.ts")).nobleBls);
}
