import { toHex } from "../bytes/hex.ts";
import { type AccountKey, KEY_TYPES, readAccountKey } from "./account-key.ts";
import { multiSigIn, publicKeyIn, rolesIn } from "./account-key-parts.ts";
import { ModelError } from "./error.ts";
import { decompressPublicKey } from "./public-key.ts";
import { RlpCursor } from "./rlp-cursor.ts";

/**
 * Points beyond this number in one key are not looked at: no account can be given more, and looking at thousands
 * would take long.
 */
const CHECKED_POINTS = 30;

/** Reads a serialised key that fills `bytes`, and its body to the last field. Throws `ModelError` `bad-account-key` or `BytesError`. */
export function decodeAccountKey(bytes: Uint8Array): AccountKey {
  const cursor = new RlpCursor(bytes);
  const key = readAccountKey(cursor);
  if (!cursor.done) throw new ModelError("bad-account-key", "bytes after the account key");
  for (const point of pointsIn(key).slice(0, CHECKED_POINTS)) {
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
