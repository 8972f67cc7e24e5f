/**
 * Account keys: what an account accepts signatures of. A key is its type and the RLP of its body; serialised,
 * the two stand one after the other, also inside an account's list. Limits for installing a key are not
 * checked here: bodies only have to have the right form.
 */
import { ModelError } from "./error.ts";
import type { RlpCursor } from "./rlp-cursor.ts";

/** The numbers of the key types, as written in accounts and shown as `keyType`. */
export const KEY_TYPES = {
  nil: 0,
  legacy: 1,
  public: 2,
  fail: 3,
  weightedMultiSig: 4,
  roleBased: 5,
} as const;

/** A key: its type and `body`, the raw RLP item after the type (no bytes for the nil key). */
export interface AccountKey {
  readonly type: number;
  readonly body: Uint8Array;
}

const EMPTY_LIST = Uint8Array.of(0xc0);

/** Stands for "leave this role as it is" in updates of role-based keys; no account has it. */
export const NIL_KEY: AccountKey = { type: KEY_TYPES.nil, body: new Uint8Array(0) };
/** The key whose address is the account's: what every new account has. */
export const LEGACY_KEY: AccountKey = { type: KEY_TYPES.legacy, body: EMPTY_LIST };
/** The key that nothing satisfies: what contracts have. */
export const FAIL_KEY: AccountKey = { type: KEY_TYPES.fail, body: EMPTY_LIST };

/** Type and body, one after the other. */
export function encodeAccountKey(key: AccountKey): Uint8Array {
  if (key.type === KEY_TYPES.nil) return Uint8Array.of(0x80);
  const bytes = new Uint8Array(1 + key.body.length);
  bytes[0] = key.type;
  bytes.set(key.body, 1);
  return bytes;
}

/** Reads type and body at the cursor; of the body only its outer form is checked. */
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
