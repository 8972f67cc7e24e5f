/** Versioned hashes of blobs (EIP-4844). */
import type { Hash } from "../bytes/brands.ts";
import { sha256 } from "./hashes.ts";

/** EIP-4844: the version of hashes of KZG commitments. */
const VERSION = 1;

/**
 * Returns the versioned hash of a blob (EIP-4844): the hash of its commitment, whose first byte is the
 * version.
 */
export function versionedHash(commitment: Uint8Array): Hash<ArrayBuffer> {
  const hash = new Uint8Array(sha256(commitment));
  hash[0] = VERSION;
  return hash;
}
