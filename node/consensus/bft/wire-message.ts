/** The outer half of a consensus message: what every kind has, strict RLP in, the same bytes out, and its signature. */
import { encodeRlp } from "../../bytes/rlp.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { RlpCursor } from "../../model/rlp-cursor.ts";

/** A message as it is on the wire. Byte strings are views. */
export interface WireMessage {
  /** Hash of the parent of the block that it is about. */
  readonly hash: Uint8Array;
  readonly code: number;
  /** RLP of what it says. */
  readonly content: Uint8Array;
  /** Who says so; `signature` shows it. */
  readonly sender: Uint8Array;
  /** 65 bytes. */
  readonly signature: Uint8Array;
  /** 65 bytes of a commit, empty of all others. */
  readonly seal: Uint8Array;
}

const NO_BYTES = new Uint8Array(0);
export const SIGNATURE_BYTES = 65;

/** Reads a message. Throws `BytesError` `bad-rlp`. */
export function decodeWireMessage(bytes: Uint8Array): WireMessage {
  const cursor = new RlpCursor(bytes);
  const end = cursor.enter();
  const message = {
    hash: cursor.fixed(32),
    code: cursor.number(1),
    content: cursor.string(),
    sender: cursor.fixed(20),
    signature: cursor.fixed(SIGNATURE_BYTES),
    seal: cursor.optionalFixed(SIGNATURE_BYTES) ?? NO_BYTES,
  };
  cursor.leave(end);
  cursor.leave(bytes.length);
  return message;
}

/** The message's bytes. */
export function encodeWireMessage(message: WireMessage): Uint8Array<ArrayBuffer> {
  const { hash, code, content, sender, signature, seal } = message;
  return encodeRlp([hash, code === 0 ? NO_BYTES : Uint8Array.of(code), content, sender, signature, seal]);
}

/** What the sender signs: everything but the signature. */
export function wireMessageDigest(message: WireMessage): Uint8Array<ArrayBuffer> {
  return keccak256(encodeWireMessage({ ...message, signature: NO_BYTES }));
}
