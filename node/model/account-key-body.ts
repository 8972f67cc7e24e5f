/** Bodies of account keys: compressed public keys, weights, keys by role. A body is decoded on each call. */

import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { type AccountKey, KEY_TYPES, readAccountKey } from "./account-key.ts";
import { ModelError } from "./error.ts";
import type { KeyRole } from "./transaction-type.ts";

/** A key of a multi-signature: its weight and its compressed public key of 33 bytes. */
export interface WeightedKey {
  readonly weight: bigint;
  readonly publicKey: Uint8Array;
}

/** A multi-signature, satisfied when the weights of the signers reach the threshold. */
export interface MultiSig {
  readonly threshold: bigint;
  readonly keys: readonly WeightedKey[];
}

/** Index of each role in a role-based key. */
const ROLE_INDEX: Readonly<Record<KeyRole, number>> = { transaction: 0, accountUpdate: 1, feePayer: 2 };

/**
 * Returns the compressed point of a public key. Throws `BytesError` for a malformed body, as all functions
 * below.
 */
export function publicKeyIn({ body }: AccountKey): Uint8Array {
  return readWhole(body, (cursor) => cursor.fixedBytes(33));
}

/** Returns the threshold and keys of a multi-signature. */
export function multiSigIn({ body }: AccountKey): MultiSig {
  return readWhole(body, (cursor) => {
    const end = cursor.enter();
    const threshold = cursor.bigint(8);
    const listEnd = cursor.enter();
    const keys: WeightedKey[] = [];
    while (!cursor.done) {
      const keyEnd = cursor.enter();
      keys.push({ weight: cursor.bigint(8), publicKey: cursor.fixedBytes(33) });
      cursor.leave(keyEnd);
    }
    cursor.leave(listEnd);
    cursor.leave(end);
    return { threshold, keys };
  });
}

/** Returns the keys of a role-based key in the order of the roles. */
export function rolesIn({ body }: AccountKey): readonly AccountKey[] {
  return readWhole(body, (cursor) => {
    const end = cursor.enter();
    const roles: AccountKey[] = [];
    while (!cursor.done) roles.push(readRole(cursor.string()));
    cursor.leave(end);
    return roles;
  });
}

/**
 * Returns the key that signs in a role: of a role-based key the one for the role, or its first; any other key
 * itself.
 */
export function keyForRole(key: AccountKey, role: KeyRole): AccountKey {
  if (key.type !== KEY_TYPES.roleBased) return key;
  const roles = rolesIn(key);
  const found = roles[ROLE_INDEX[role]] ?? roles[0];
  if (found === undefined) throw new ModelError("bad-account-key", "a role-based key without keys");
  return found;
}

function readRole(bytes: Uint8Array): AccountKey {
  const role = readWhole(bytes, readAccountKey);
  if (role.type === KEY_TYPES.roleBased) throw new ModelError("bad-account-key", "nested composite type");
  return role;
}

function readWhole<T>(body: Uint8Array, read: (cursor: RlpCursor) => T): T {
  const cursor = new RlpCursor(body);
  const result = read(cursor);
  if (!cursor.done) throw new ModelError("bad-account-key", "bytes after the account key's body");
  return result;
}
