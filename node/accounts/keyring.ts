/** The private keys of one account, and which of them sign for what. */
import { sign } from "../crypto/secp256k1.ts";

/** Private keys by role, then by place in the role. */
export type Keyring = readonly (readonly Uint8Array[])[];

/** Roles of a role-based account key; the index is the position of a role's keys in a key file. */
const SIGNING_ROLES = ["transaction", "accountUpdate", "feePayer"] as const;
/** One of them. */
export type SigningRole = (typeof SIGNING_ROLES)[number];

/**
 * Returns the keys of a role, or the first list when the key ring has none for it, as an account key without
 * a role falls back to its first.
 */
export function ofRole<T>(lists: readonly (readonly T[])[], role: SigningRole): readonly T[] {
  const own = lists[SIGNING_ROLES.indexOf(role)];
  return own !== undefined && own.length > 0 ? own : (lists.find((list) => list.length > 0) ?? []);
}

/** Signatures over a digest by each of the keys: r, s, v (0 or 1), 65 bytes. */
export function signAll(keys: readonly Uint8Array[], digest: Uint8Array): Uint8Array[] {
  return keys.map((key) => sign(digest, key));
}

/** Overwrites every key with zeros. */
export function wipe(keyring: Keyring): void {
  for (const role of keyring) for (const key of role) key.fill(0);
}
