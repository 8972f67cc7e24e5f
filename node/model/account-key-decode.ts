/** Strict decoder of account keys that come from outside: the form of all fields, and the curve points. */
import { toHex } from "../bytes/hex.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { type AccountKey, KEY_TYPES, readAccountKey } from "./account-key.ts";
import { multiSigIn, publicKeyIn, rolesIn } from "./account-key-body.ts";
import { ModelError } from "./error.ts";
import { decompressPublicKey } from "./public-key.ts";

/**
 * Upper bound of curve points to check in one key: no account can have more, and thousands of checks take
 * long.
 */
const MAX_CHECKED_POINTS = 30;

/**
 * Reads a serialised key that fills `bytes`, and all fields of its body. Throws `ModelError`
 * `bad-account-key` or `BytesError`.
 */
export function decodeAccountKey(bytes: Uint8Array): AccountKey {
  const cursor = new RlpCursor(bytes);
  const key = readAccountKey(cursor);
  if (!cursor.done) throw new ModelError("bad-account-key", "bytes after the account key");
  for (const point of pointsIn(key).slice(0, MAX_CHECKED_POINTS)) {
    if (decompressPublicKey(point) !== undefined) continue;
    throw new ModelError("bad-account-key", `not a point of the curve: ${toHex(point)}`);
  }
  return key;
}

function pointsIn(key: AccountKey): readonly Uint8Array[] {
  if (key.type === KEY_TYPES.public) return [publicKeyIn(key)];
  if (key.type === KEY_TYPES.weightedMultiSig) return multiSigIn(key).keys.map(({ publicKey }) => publicKey);
  return key.type === KEY_TYPES.roleBased ? rolesIn(key).flatMap(pointsIn) : [];
}
