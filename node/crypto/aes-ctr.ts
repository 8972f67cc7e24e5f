/** AES for devp2p's RLPx connections: a key stream in each direction, and single blocks for the MACs. */
import { createCipheriv } from "node:crypto";

/** Encrypts or decrypts the next piece of a stream. */
export type StreamCipher = (piece: Uint8Array) => Uint8Array;

/** Encrypts one block of 16 bytes. */
export type BlockCipher = (block: Uint8Array) => Uint8Array;

/**
 * Creates the key stream of AES in counter mode (NIST SP 800-38A); the key has 16 or 32 bytes, the counter
 * 16.
 */
export function createAesCtr(key: Uint8Array, counter: Uint8Array): StreamCipher {
  const cipher = createCipheriv(key.length === 16 ? "aes-128-ctr" : "aes-256-ctr", key, counter);
  return (piece) => cipher.update(piece);
}

/** Creates the block cipher AES-256. */
export function createAesBlock(key: Uint8Array): BlockCipher {
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  return (block) => cipher.update(block);
}
