/** The private keys of one account by role. */
import type { Hash } from "../bytes/brands.ts";
import { sign } from "../crypto/secp256k1.ts";

/** Private keys by role, then by index in the role. */
export type Keyring = readonly (readonly Uint8Array[])[];

/** Roles of a role-based account key; the index is the position of a role's keys in a key file. */
const SIGNING_ROLES = ["transaction", "accountUpdate", "feePayer"] as const;
/** A role of keys. */
export type SigningRole = (typeof SIGNING_ROLES)[number];

/**
 * Returns the keys of a role, or the first list when the key ring has none for it, as an account key without
 * a role falls back to its first.
 */
export function ofRole<T>(lists: readonly (readonly T[])[], role: SigningRole): readonly T[] {
  const own = lists[SIGNING_ROLES.indexOf(role)];
  return own !== undefined && own.length > 0 ? own : (lists.find((list) => list.length > 0) ?? []);
}

/** Signs a digest with each of the keys. Returns 65 bytes each: r, s, v (0 or 1). */
export function signAll(keys: readonly Uint8Array[], digest: Hash): Uint8Array[] {
  return keys.map((key) => sign(digest, key));
}

/** Overwrites every key with zeros. */
export function wipe(keyring: Keyring): void {
  for (const role of keyring) for (const key of role) key.fill(0);
}
