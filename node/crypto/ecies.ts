/**
 * ECIES over secp256k1 as the devp2p handshake uses it (SEC 1 section 5.1 with the concatenation KDF of NIST
 * SP 800-56 and one round of SHA-256, AES-128-CTR, HMAC-SHA-256): only the holder of a private key opens the box.
 * Keys and initialisation vectors come in from outside, so a box can be made twice.
 */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { PublicKey } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { createAesCtr } from "./aes-ctr.ts";
import { CryptoError } from "./error.ts";
import { ecdh, publicKeyOf } from "./secp256k1.ts";

/** Bytes of a box beyond its content: public key 65, initialisation vector 16, tag 32. */
export const BOX_OVERHEAD = 113;

/** Content of a box. `ephemeralKey` (32 bytes) and `iv` (16) are random and used once. */
export interface BoxContent {
  readonly message: Uint8Array;
  /** Bytes that are not in the box but without which it does not open. */
  readonly prefix: Uint8Array;
  /** The receiver's. */
  readonly to: PublicKey;
  readonly ephemeralKey: Uint8Array;
  readonly iv: Uint8Array;
}

const UNCOMPRESSED = Uint8Array.of(4);
const ROUND = Uint8Array.of(0, 0, 0, 1);

/** The message in a box. Throws `CryptoError` `bad-public-key` when `to` is no point of the curve. */
export function sealBox({ message, prefix, to, ephemeralKey, iv }: BoxContent): Uint8Array<ArrayBuffer> {
  const shared = ecdh(ephemeralKey, to);
  if (shared === undefined) throw new CryptoError("bad-public-key", "the receiver's key is not on the curve");
  const keys = boxKeys(shared);
  const ciphertext = createAesCtr(keys.encryption, iv)(message);
  const tag = tagOf(keys.mac, iv, ciphertext, prefix);
  return concatBytes(UNCOMPRESSED, publicKeyOf(ephemeralKey), iv, ciphertext, tag);
}

/** The message of a box that was made for `key` with `prefix`; undefined for any other bytes. */
export function openBox(key: Uint8Array, box: Uint8Array, prefix: Uint8Array): Uint8Array | undefined {
  if (box.length < BOX_OVERHEAD || box[0] !== 4) return undefined;
  const shared = ecdh(key, box.subarray(1, 65));
  if (shared === undefined) return undefined;
  const iv = box.subarray(65, 81);
  const ciphertext = box.subarray(81, box.length - 32);
  const keys = boxKeys(shared);
  const tag = tagOf(keys.mac, iv, ciphertext, prefix);
  if (!timingSafeEqual(tag, box.subarray(box.length - 32))) return undefined;
  return createAesCtr(keys.encryption, iv)(ciphertext);
}

function boxKeys(shared: Uint8Array): { encryption: Uint8Array; mac: Uint8Array } {
  const derived = createHash("sha256").update(ROUND).update(shared).digest();
  return {
    encryption: derived.subarray(0, 16),
    mac: createHash("sha256").update(derived.subarray(16)).digest(),
  };
}

function tagOf(key: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array, prefix: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(iv).update(ciphertext).update(prefix).digest();
}
