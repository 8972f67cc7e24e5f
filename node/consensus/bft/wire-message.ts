/**
 * Wire format of consensus messages: strict RLP of the fields that every kind has
 * (`consensus/istanbul/core/types.go@v2.2.2`), and the digest that is signed.
 */
import type { Address, Hash } from "../../bytes/brands.ts";
import { encodeRlp } from "../../bytes/rlp.ts";
import { RlpCursor } from "../../bytes/rlp-cursor.ts";
import { keccak256 } from "../../crypto/keccak.ts";

/** A message on the wire. Byte strings are views into the input. */
export interface WireMessage {
  /** Hash of the parent of the block. */
  readonly hash: Hash;
  readonly code: number;
  /** RLP of the payload. */
  readonly content: Uint8Array;
  /** Address of the sender, proved by `signature`. */
  readonly sender: Address;
  /** Signature of 65 bytes: R, S, V. */
  readonly signature: Uint8Array;
  /** Committed seal of 65 bytes for a commit, else empty. */
  readonly seal: Uint8Array;
}

const NO_BYTES = new Uint8Array(0);
/** Length of a signature and of a committed seal: R, S, V. */
export const SIGNATURE_BYTES = 65;

/** Decodes a message. Throws `BytesError` `bad-rlp`. */
export function decodeWireMessage(bytes: Uint8Array): WireMessage {
  const cursor = new RlpCursor(bytes);
  const end = cursor.enter();
  const message = {
    hash: cursor.hash(),
    code: cursor.number(1),
    content: cursor.string(),
    sender: cursor.address(),
    signature: cursor.fixedBytes(SIGNATURE_BYTES),
    seal: cursor.optionalFixed(SIGNATURE_BYTES) ?? NO_BYTES,
  };
  cursor.leave(end);
  cursor.leave(bytes.length);
  return message;
}

/** Encodes a message. */
export function encodeWireMessage(message: WireMessage): Uint8Array<ArrayBuffer> {
  const { hash, code, content, sender, signature, seal } = message;
  return encodeRlp([hash, code === 0 ? NO_BYTES : Uint8Array.of(code), content, sender, signature, seal]);
}

/** Returns the digest that the sender signs: the message without its signature. */
export function wireMessageDigest(message: WireMessage): Hash<ArrayBuffer> {
  return keccak256(encodeWireMessage({ ...message, signature: NO_BYTES }));
}
