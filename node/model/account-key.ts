/**
 * Account keys: what an account accepts signatures of. A key is its type and the RLP of its body; serialised,
 * the two stand one after the other, also inside an account's list. Limits for installing a key are not
 * checked here: bodies only have to have the right form.
 */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { jsonInteger } from "../config/exact-json.ts";
import { ModelError } from "./error.ts";
import { decompressPublicKey } from "./public-key.ts";
import { RlpCursor } from "./rlp-cursor.ts";

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

/** What `{"keyType", "key"}` of the JSON answers holds. */
export interface AccountKeyJson {
  readonly keyType: number;
  readonly key: unknown;
}

const EMPTY_LIST = Uint8Array.of(0xc0);

/** Stands for "leave this role as it is" in updates of role-based keys; no account has it. */
export const NIL_KEY: AccountKey = { type: KEY_TYPES.nil, body: new Uint8Array(0) };
/** The key whose address is the account's: what every new account has. */
export const LEGACY_KEY: AccountKey = { type: KEY_TYPES.legacy, body: EMPTY_LIST };
/** The key that nothing satisfies: what contracts have. */
export const FAIL_KEY: AccountKey = { type: KEY_TYPES.fail, body: EMPTY_LIST };

/** Reads a serialised key that fills `bytes`, and its body to the last field. Throws `ModelError` `bad-account-key` or `BytesError`. */
export function decodeAccountKey(bytes: Uint8Array): AccountKey {
  const cursor = new RlpCursor(bytes);
  const key = readAccountKey(cursor);
  if (!cursor.done) throw new ModelError("bad-account-key", "bytes after the account key");
  accountKeyJson(key);
  return key;
}

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
  if (type > KEY_TYPES.roleBased) throw new ModelError("bad-account-key", `unknown account key type ${type}`);
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

/** The key as `getAccount` and `getAccountKey` show it. Throws as `decodeAccountKey` when the body is damaged. */
export function accountKeyJson(key: AccountKey): AccountKeyJson {
  return { keyType: key.type, key: bodyJson(key, true) };
}

function bodyJson(key: AccountKey, outermost: boolean): unknown {
  const cursor = new RlpCursor(key.body);
  if (key.type === KEY_TYPES.public) return whole(cursor, publicKeyJson);
  if (key.type === KEY_TYPES.weightedMultiSig) return whole(cursor, multiSigJson);
  if (key.type === KEY_TYPES.roleBased) {
    if (!outermost) throw new ModelError("bad-account-key", "nested composite type");
    return whole(cursor, rolesJson);
  }
  return {};
}

function whole(cursor: RlpCursor, read: (cursor: RlpCursor) => unknown): unknown {
  const json = read(cursor);
  if (!cursor.done) throw new ModelError("bad-account-key", "bytes after the account key's body");
  return json;
}

function publicKeyJson(cursor: RlpCursor): { x: string; y: string } {
  const compressed = cursor.fixed(33);
  const point = decompressPublicKey(compressed);
  if (point === undefined) {
    throw new ModelError("bad-account-key", `not a point of the curve: ${toHex(compressed)}`);
  }
  return { x: toQuantity(point.x), y: toQuantity(point.y) };
}

function multiSigJson(cursor: RlpCursor): unknown {
  const end = cursor.enter();
  const threshold = jsonInteger(cursor.bigint(8));
  const listEnd = cursor.enter();
  const keys: unknown[] = [];
  while (!cursor.done) {
    const keyEnd = cursor.enter();
    keys.push({ weight: jsonInteger(cursor.bigint(8)), key: publicKeyJson(cursor) });
    cursor.leave(keyEnd);
  }
  cursor.leave(listEnd);
  cursor.leave(end);
  return { threshold, keys };
}

function rolesJson(cursor: RlpCursor): unknown {
  const end = cursor.enter();
  const roles: AccountKeyJson[] = [];
  while (!cursor.done) {
    const inner = new RlpCursor(cursor.string());
    const role = readAccountKey(inner);
    if (!inner.done) throw new ModelError("bad-account-key", "bytes after the key of a role");
    roles.push({ keyType: role.type, key: bodyJson(role, false) });
  }
  cursor.leave(end);
  return roles;
}
