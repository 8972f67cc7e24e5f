/**
 * Account keys: the conditions on an account's signatures. A key is its type and the RLP of its body.
 * Serialised, the body follows the type, also inside an account's list. The limits of new keys are checked in
 * `account-key-update.ts`.
 */

import type { RlpCursor } from "../bytes/rlp-cursor.ts";
import { ModelError } from "./error.ts";

/** Numbers of the key types, as in accounts and in the JSON member `keyType`. */
export const KEY_TYPES = {
  nil: 0,
  legacy: 1,
  public: 2,
  fail: 3,
  weightedMultiSig: 4,
  roleBased: 5,
} as const;

/** A key: its type and `body`, the raw RLP item after the type, empty for the nil key. */
export interface AccountKey {
  readonly type: number;
  readonly body: Uint8Array;
}

const EMPTY_LIST = Uint8Array.of(0xc0);

/** Leaves a role unchanged in an update of a role-based key; no account has it. */
export const NIL_KEY: AccountKey = { type: KEY_TYPES.nil, body: new Uint8Array(0) };
/** The key of every new account: the one that its address is derived from. */
export const LEGACY_KEY: AccountKey = { type: KEY_TYPES.legacy, body: EMPTY_LIST };
/** The key of contracts, which no signature satisfies. */
export const FAIL_KEY: AccountKey = { type: KEY_TYPES.fail, body: EMPTY_LIST };

/** Serialises a key: its type, then its body. */
export function encodeAccountKey(key: AccountKey): Uint8Array {
  if (key.type === KEY_TYPES.nil) return Uint8Array.of(0x80);
  const bytes = new Uint8Array(1 + key.body.length);
  bytes[0] = key.type;
  bytes.set(key.body, 1);
  return bytes;
}

/** Reads type and body at the cursor; only the outer form of the body is checked. */
export function readAccountKey(cursor: RlpCursor): AccountKey {
  const type = cursor.number(1);
  if (type === KEY_TYPES.nil) return NIL_KEY;
  if (type > KEY_TYPES.roleBased) throw new ModelError("bad-account-key", "undefined account key type");
  if ((type === KEY_TYPES.public) === cursor.atList) {
    throw new ModelError("bad-account-key", `the body does not fit account key type ${type}`);
  }
  const body = cursor.raw();
  if (type === KEY_TYPES.legacy || type === KEY_TYPES.fail) {
    if (body.length !== 1) throw new ModelError("bad-account-key", `key type ${type} has an empty body`);
    return type === KEY_TYPES.legacy ? LEGACY_KEY : FAIL_KEY;
  }
  return { type, body };
}
