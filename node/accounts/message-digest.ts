/** Digests of messages for signing. */
import type { Hash } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { keccak256 } from "../crypto/keccak.ts";

/** Prefix of messages that an account of Klaytn signs. */
export const KLAYTN_MESSAGE_PREFIX = "\x19Klaytn Signed Message:\n";
/** Prefix of EIP-191 version 0x45, in use since Kaia. */
export const ETHEREUM_MESSAGE_PREFIX = "\x19Ethereum Signed Message:\n";

/** Returns the digest of a message for signing: keccak(prefix ++ length in decimal ++ message). */
export function messageDigest(prefix: string, message: Uint8Array): Hash<ArrayBuffer> {
  return keccak256(concatBytes(Buffer.from(`${prefix}${message.length}`, "latin1"), message));
}
