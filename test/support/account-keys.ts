/** Account keys to test with. */

import { integerBytes } from "../../node/bytes/integer.ts";
import { encodeRlp } from "../../node/bytes/rlp.ts";
import { publicKeyOf } from "../../node/crypto/secp256k1.ts";
import { type AccountKey, KEY_TYPES } from "../../node/model/account-key.ts";
import { compressPublicKey } from "../../node/model/public-key.ts";

/** The 64-byte public key of signer number 1, 2, ... */
export function aPublicKey(number: number): Uint8Array {
  const key = new Uint8Array(32);
  key[31] = number;
  return publicKeyOf(key);
}

/** The key of one signer. */
export function aPublic(number: number): AccountKey {
  return { type: KEY_TYPES.public, body: encodeRlp(compressPublicKey(aPublicKey(number))) };
}

/** A multi-signature of signers and their weights. */
export function aMultiSig(
  threshold: bigint,
  signers: readonly (readonly [number: number, weight: bigint])[],
): AccountKey {
  const keys = signers.map(([number, weight]) => [
    integerBytes(weight),
    compressPublicKey(aPublicKey(number)),
  ]);
  return { type: KEY_TYPES.weightedMultiSig, body: encodeRlp([integerBytes(threshold), keys]) };
}
