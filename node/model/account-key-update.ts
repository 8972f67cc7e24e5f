/**
 * Rules for an account's new key. Limits, order of checks and texts are those of
 * `blockchain/types/accountkey@v2.2.2`. A role-based key inside another one ("nested composite type") is
 * rejected by the decoder.
 */
import { mapKey } from "../bytes/hex.ts";
import { RlpWriter } from "../bytes/rlp-writer.ts";
import { type AccountKey, encodeAccountKey, KEY_TYPES } from "./account-key.ts";
import { multiSigIn, publicKeyIn, rolesIn } from "./account-key-body.ts";
import { decompressPublicKey } from "./public-key.ts";

/** Reason for the rejection of a key: the receipt status and the Go node's text. */
export interface KeyProblem {
  readonly status: number;
  readonly message: string;
}

/** Upper bounds of keys in a multi-signature and of roles in a role-based key. */
const MAX_KEYS = 10;
const MAX_ROLES = 3;

const NIL: KeyProblem = { status: 0x11, message: "AccountKeyNil cannot be initialized to an account" };
const FAIL: KeyProblem = { status: 0x0f, message: "AccountKeyFail is not updatable" };
const OFF_CURVE: KeyProblem = { status: 0x12, message: "public key is not on curve" };
const TOO_MANY: KeyProblem = { status: 0x02, message: "the number of keys exceeds the limit" };
const NO_WEIGHT: KeyProblem = { status: 0x13, message: "key weight is zero" };
const UNSERIALIZABLE: KeyProblem = { status: 0x14, message: "key is not serializable" };
const DUPLICATE: KeyProblem = { status: 0x15, message: "duplicated key" };
const OVERFLOW: KeyProblem = { status: 0x16, message: "weighted sum overflow" };
const UNREACHABLE: KeyProblem = {
  status: 0x17,
  message: "unsatisfiable threshold. Weighted sum of keys is less than the threshold.",
};
const EMPTY: KeyProblem = { status: 0x18, message: "length is zero" };
const TOO_LONG: KeyProblem = { status: 0x19, message: "length too long" };

/** Returns the reason against a key for an account that has a key of another type, or undefined. */
export function checkInstall(next: AccountKey): KeyProblem | undefined {
  switch (next.type) {
    case KEY_TYPES.nil:
      return NIL;
    case KEY_TYPES.public:
      return decompressPublicKey(publicKeyIn(next)) === undefined ? OFF_CURVE : undefined;
    case KEY_TYPES.weightedMultiSig:
      return checkMultiSig(next);
    case KEY_TYPES.roleBased:
      return checkRoles(rolesIn(next), checkInstall);
    default:
      return undefined;
  }
}

/** Returns the reason against `next` for an account that has `current`, or undefined. */
export function checkUpdate(current: AccountKey, next: AccountKey): KeyProblem | undefined {
  if (current.type !== next.type) return checkInstall(next);
  if (next.type === KEY_TYPES.fail) return FAIL;
  if (next.type !== KEY_TYPES.roleBased) return checkInstall(next);
  const old = rolesIn(current);
  return checkRoles(rolesIn(next), (role, index) => {
    const replaced = old[index];
    if (replaced === undefined) return checkInstall(role);
    return role.type === KEY_TYPES.nil ? undefined : checkUpdate(replaced, role);
  });
}

/**
 * Returns the account's key after an update that `checkUpdate` allows; roles that `next` omits or sets to nil
 * stay.
 */
export function updatedKey(current: AccountKey, next: AccountKey): AccountKey {
  if (current.type !== KEY_TYPES.roleBased || next.type !== KEY_TYPES.roleBased) return next;
  const [old, changes] = [rolesIn(current), rolesIn(next)];
  const kept = old.map((role, index) => {
    const change = changes[index];
    return change === undefined || change.type === KEY_TYPES.nil ? role : change;
  });
  return roleBasedKey([...kept, ...changes.slice(old.length)]);
}

/** Creates a role-based key from keys in the order of the roles. */
export function roleBasedKey(roles: readonly AccountKey[]): AccountKey {
  const writer = new RlpWriter(256);
  for (const role of roles.toReversed()) writer.string(encodeAccountKey(role));
  writer.list(0);
  return { type: KEY_TYPES.roleBased, body: writer.take() };
}

function checkMultiSig(key: AccountKey): KeyProblem | undefined {
  const { threshold, keys } = multiSigIn(key);
  if (keys.length === 0) return EMPTY;
  if (keys.length > MAX_KEYS) return TOO_MANY;
  const seen = new Set<string>();
  let sum = 0n;
  for (const { weight, publicKey } of keys) {
    if (weight === 0n) return NO_WEIGHT;
    if (decompressPublicKey(publicKey) === undefined) return UNSERIALIZABLE;
    if (seen.has(mapKey(publicKey))) return DUPLICATE;
    seen.add(mapKey(publicKey));
    sum += weight;
    if (sum >= 1n << 64n) return OVERFLOW;
  }
  return sum < threshold ? UNREACHABLE : undefined;
}

function checkRoles(
  roles: readonly AccountKey[],
  check: (role: AccountKey, index: number) => KeyProblem | undefined,
): KeyProblem | undefined {
  if (roles.length === 0) return EMPTY;
  if (roles.length > MAX_ROLES) return TOO_LONG;
  for (const [index, role] of roles.entries()) {
    const problem = check(role, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
