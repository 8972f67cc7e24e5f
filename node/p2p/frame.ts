/**
 * Frames of the devp2p RLPx specification: header, header MAC, body, body MAC, encrypted with one AES-CTR key
 * stream in each direction. Pure. A writer or reader serves one direction of one connection.
 */

import { timingSafeEqual } from "node:crypto";
import type { Hash } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp, itemAt, itemInteger } from "../bytes/rlp.ts";
import { type BlockCipher, createAesBlock, createAesCtr } from "../crypto/aes-ctr.ts";
import type { RunningKeccak } from "../crypto/running-keccak.ts";
import { P2pError } from "./error.ts";

/** Secrets of one direction. `hash` is the running Keccak state of its MAC. */
export interface FrameKeys {
  /** 32 bytes. */
  readonly aes: Uint8Array;
  /** 32 bytes. */
  readonly mac: Uint8Array;
  readonly hash: RunningKeccak;
}

/** A message: its code and its payload. */
export interface FrameContent {
  readonly code: number;
  readonly payload: Uint8Array;
}

/** Maximum size of a frame's content, in bytes: the header has 24 bits for it. */
export const MAX_CONTENT_BYTES = 0xff_ffff;
/** Size of a header with its MAC, in bytes. */
export const HEADER_BYTES = 32;

const ZERO_IV = new Uint8Array(16);
const HEADER_REST = Uint8Array.of(0xc2, 0x80, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/** Joins code and payload into the content of a frame. */
export function joinContent({ code, payload }: FrameContent): Uint8Array {
  return concatBytes(encodeRlp(integerBytes(code)), payload);
}

/**
 * Splits the content of a frame; the payload is a view. Throws `P2pError` `bad-frame` for content without a
 * code.
 */
export function splitContent(content: Uint8Array): FrameContent {
  try {
    const item = itemAt(content, 0);
    return { code: Number(itemInteger(item, 4)), payload: content.subarray(item.raw.length) };
  } catch (cause) {
    throw new P2pError("bad-frame", "frame without a message code", { cause });
  }
}

/** Returns the size of a frame after its header, in bytes: content padded to 16, and its MAC. */
export function bodyBytes(contentLength: number): number {
  return Math.ceil(contentLength / 16) * 16 + 16;
}

/**
 * Creates a writer, which returns the frame of each content in order. It throws `P2pError` `too-large` above
 * 2^24 - 1 bytes.
 */
export function createFrameWriter({ aes, mac, hash }: FrameKeys): (content: Uint8Array) => Uint8Array {
  const encrypt = createAesCtr(aes, ZERO_IV);
  const block = createAesBlock(mac);
  return (content) => {
    if (content.length > MAX_CONTENT_BYTES)
      throw new P2pError("too-large", `frame of ${content.length} bytes, at most ${MAX_CONTENT_BYTES}`);
    const frame = new Uint8Array(HEADER_BYTES + bodyBytes(content.length));
    const { length } = content;
    frame.set([length >>> 16, (length >>> 8) & 0xff, length & 0xff]);
    frame.set(HEADER_REST, 3);
    frame.set(encrypt(frame.subarray(0, 16)));
    frame.set(headerMac(hash, block, frame.subarray(0, 16)), 16);
    frame.set(content, HEADER_BYTES);
    const body = encrypt(frame.subarray(HEADER_BYTES, frame.length - 16));
    frame.set(body, HEADER_BYTES);
    frame.set(bodyMac(hash, block, body), frame.length - 16);
    return frame;
  };
}

/** Reader of frames, alternately a header and the body that it announces. */
export interface FrameReader {
  /** Decrypts a header of 32 bytes and returns the length of the content. Throws `P2pError` `bad-frame`. */
  header(bytes: Uint8Array): number;
  /** Decrypts a body of `bodyBytes(length)` bytes and returns the content. Throws `P2pError` `bad-frame`. */
  body(bytes: Uint8Array, length: number): Uint8Array;
}

/** Creates the reader of one direction. */
export function createFrameReader({ aes, mac, hash }: FrameKeys): FrameReader {
  const decrypt = createAesCtr(aes, ZERO_IV);
  const block = createAesBlock(mac);
  return {
    header(bytes) {
      const encrypted = bytes.subarray(0, 16);
      checkMac(headerMac(hash, block, encrypted), bytes.subarray(16, 32));
      const [high = 0, middle = 0, low = 0] = decrypt(encrypted);
      return high * 0x1_0000 + middle * 0x100 + low;
    },
    body(bytes, length) {
      const encrypted = bytes.subarray(0, bytes.length - 16);
      checkMac(bodyMac(hash, block, encrypted), bytes.subarray(bytes.length - 16));
      return decrypt(encrypted).subarray(0, length);
    },
  };
}

function checkMac(wanted: Uint8Array, found: Uint8Array): void {
  if (found.length !== 16 || !timingSafeEqual(wanted, found))
    throw new P2pError("bad-frame", "frame with a wrong MAC");
}

function headerMac(hash: RunningKeccak, block: BlockCipher, header: Uint8Array): Uint8Array {
  return step(hash, block, hash.digest(), header);
}

function bodyMac(hash: RunningKeccak, block: BlockCipher, body: Uint8Array): Uint8Array {
  hash.update(body);
  const digest = hash.digest();
  return step(hash, block, digest, digest);
}

function step(hash: RunningKeccak, block: BlockCipher, digest: Hash, seed: Uint8Array): Uint8Array {
  const mixed = new Uint8Array(block(digest.subarray(0, 16)));
  for (let i = 0; i < 16; i++) mixed[i] = (mixed[i] as number) ^ (seed[i] as number); // both have 16 bytes
  hash.update(mixed);
  return hash.digest().subarray(0, 16);
}
