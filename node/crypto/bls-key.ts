/** Private keys of BLS12-381: 32 bytes, big-endian, 1..r-1. */
import { hkdfSync } from "node:crypto";
import { concatBytes } from "../bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import { CryptoError } from "./error.ts";
import { sha256 } from "./hashes.ts";

/** Order of the groups. */
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
/** Bytes of key material that are reduced modulo the order: enough for no bias. */
const MATERIAL_BYTES = 48;
const MIN_SEED_BYTES = 32;

/** True for 32 bytes that hold an integer in 1..r-1. */
export function isBlsKey(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false;
  const value = bytesToBigint(bytes);
  return value > 0n && value < ORDER;
}

/**
 * Derives a BLS key by KeyGen of draft-irtf-cfrg-bls-signature section 2.3 without key information, the
 * master key of EIP-2333; a node without a BLS key of its own derives one from its node key. Throws
 * `CryptoError` `bad-private-key` for a seed of less than 32 bytes.
 */
export function deriveBlsKey(seed: Uint8Array): Uint8Array<ArrayBuffer> {
  if (seed.length < MIN_SEED_BYTES)
    throw new CryptoError("bad-private-key", `a seed has at least 32 bytes, not ${seed.length}`);
  const material = concatBytes(seed, Uint8Array.of(0));
  const length = Uint8Array.of(0, MATERIAL_BYTES);
  let salt: Uint8Array = Buffer.from("BLS-SIG-KEYGEN-SALT-");
  let key = 0n;
  while (key === 0n) {
    salt = sha256(salt);
    const bytes = new Uint8Array(hkdfSync("sha256", material, salt, length, MATERIAL_BYTES));
    key = bytesToBigint(bytes) % ORDER;
    bytes.fill(0);
  }
  material.fill(0);
  return fixedBytes(key, 32);
}
