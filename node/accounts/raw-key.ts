/**
 * Private keys as text: 64 hex digits, or a wallet key of 110 characters that includes the address (`<64 hex
 * key>0x<2 hex type>0x<40 hex address>`), which may differ from the key's own.
 */

import { randomFillSync } from "node:crypto";
import type { Address } from "../bytes/brands.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { addressOfKey, isPrivateKey } from "../crypto/secp256k1.ts";
import { AccountsError } from "./error.ts";

/** A private key and the address of its account. The caller wipes the key. */
export interface RawKey {
  readonly key: Uint8Array;
  readonly address: Address;
}

const WALLET_KEY_LENGTH = 110;

/**
 * Parses a key. Throws `AccountsError` `bad-raw-key`, or `bad-wallet-key` for a type other than 00, with the
 * Go node's texts, which never quote the key.
 */
export function parseRawKey(text: string): RawKey {
  if (text.length !== WALLET_KEY_LENGTH) {
    const key = parseKey(text);
    return { key, address: addressOfKey(key) };
  }
  if (text.slice(66, 68) !== "00") {
    throw new AccountsError("bad-wallet-key", "Klaytn wallet key type must be 00.");
  }
  if (text.slice(64, 66) !== "0x" || text.slice(68, 70) !== "0x") throw badRawKeyError("invalid hex string");
  const address = hexBytes(text.slice(70));
  return { key: parseKey(text.slice(0, 64)), address };
}

/** Returns a random key. */
export function randomKey(): RawKey {
  for (;;) {
    const key = randomFillSync(new Uint8Array(32));
    if (isPrivateKey(key)) return { key, address: addressOfKey(key) };
  }
}

function parseKey(text: string): Uint8Array {
  const key = hexBytes(text);
  if (key.length !== 32) throw badRawKeyError("invalid length, need 256 bits");
  if (isPrivateKey(key)) return key;
  throw badRawKeyError(
    key.every((byte) => byte === 0) ? "invalid private key, zero or negative" : "invalid private key, >=N",
  );
}

function hexBytes(text: string): Uint8Array {
  if (text.length % 2 !== 0 || /[^0-9a-f]/i.test(text)) throw badRawKeyError("invalid hex string");
  return fromBareHex(text);
}

function badRawKeyError(message: string): AccountsError {
  return new AccountsError("bad-raw-key", message);
}
