/** AES as a framed connection uses it: an endless key stream each way, and single blocks for its MACs. */
import { createCipheriv } from "node:crypto";

/** Encrypts or, being the same, decrypts one endless stream, piece by piece, in order. */
export type StreamCipher = (piece: Uint8Array) => Uint8Array;

/** Encrypts one block of 16 bytes. */
export type BlockCipher = (block: Uint8Array) => Uint8Array;

/** The key stream of AES in counter mode (NIST SP 800-38A); a key of 16 or 32 bytes, a counter of 16. */
export function createAesCtr(key: Uint8Array, counter: Uint8Array): StreamCipher {
  const cipher = createCipheriv(key.length === 16 ? "aes-128-ctr" : "aes-256-ctr", key, counter);
  return (piece) => cipher.update(piece);
}

/** AES-256 of single blocks. */
export function createAesBlock(key: Uint8Array): BlockCipher {
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  return (block) => cipher.update(block);
}
