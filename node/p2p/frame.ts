/**
 * Frames of RLPx (devp2p `rlpx.md`): header, MAC, content, MAC, encrypted by one endless key stream each way.
 * Pure: content in, wire bytes out, and back. A writer or reader is good for one direction of one connection.
 */
import { timingSafeEqual } from "node:crypto";
import { concatBytes } from "../bytes/compare.ts";
import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp, itemAt, itemInteger } from "../bytes/rlp.ts";
import { type BlockCipher, createAesBlock, createAesCtr } from "../crypto/aes-ctr.ts";
import type { RunningKeccak } from "../crypto/running-keccak.ts";
import { P2pError } from "./error.ts";

/** What one direction of a connection needs; the running hash is its MAC. */
export interface FrameKeys {
  /** 32 bytes. */
  readonly aes: Uint8Array;
  /** 32 bytes. */
  readonly mac: Uint8Array;
  readonly hash: RunningKeccak;
}

/** A message as it travels: its code on the wire and what follows it. */
export interface FrameContent {
  readonly code: number;
  readonly payload: Uint8Array;
}

/** The longest content of a frame. */
export const MOST_CONTENT = 0xff_ffff;
/** Bytes of the header with its MAC. */
export const HEADER_BYTES = 32;

const ZERO_IV = new Uint8Array(16);
const HEADER_REST = Uint8Array.of(0xc2, 0x80, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/** The code and the payload as the content of a frame. */
export function joinContent({ code, payload }: FrameContent): Uint8Array {
  return concatBytes(encodeRlp(integerBytes(code)), payload);
}

/** Takes the code off. Throws `P2pError` `bad-frame` when there is none; the payload is a view. */
export function splitContent(content: Uint8Array): FrameContent {
  try {
    const item = itemAt(content, 0);
    return { code: Number(itemInteger(item, 4)), payload: content.subarray(item.raw.length) };
  } catch (cause) {
    throw new P2pError("bad-frame", "frame without a message code", { cause });
  }
}

/** Bytes of a frame after its header: content padded to 16, and its MAC. */
export function bodyBytes(contentLength: number): number {
  return Math.ceil(contentLength / 16) * 16 + 16;
}

/** Makes frames of contents, in order. Throws `P2pError` `too-large` above 2^24 - 1 bytes. */
export function createFrameWriter({ aes, mac, hash }: FrameKeys): (content: Uint8Array) => Uint8Array {
  const encrypt = createAesCtr(aes, ZERO_IV);
  const block = createAesBlock(mac);
  return (content) => {
    if (content.length > MOST_CONTENT)
      throw new P2pError("too-large", `frame of ${content.length} bytes, at most ${MOST_CONTENT}`);
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

/** Opens frames in order; each is a header, then a body of the size that the header says. */
export interface FrameReader {
  /** The content's length from 32 bytes. Throws `P2pError` `bad-frame`. */
  header(bytes: Uint8Array): number;
  /** The content from `bodyBytes(length)` bytes. Throws `P2pError` `bad-frame`. */
  body(bytes: Uint8Array, length: number): Uint8Array;
}

/** Opens the frames of one direction. */
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

function step(hash: RunningKeccak, block: BlockCipher, digest: Uint8Array, seed: Uint8Array): Uint8Array {
  const mixed = new Uint8Array(block(digest.subarray(0, 16)));
  for (let i = 0; i < 16; i++) mixed[i] = (mixed[i] as number) ^ (seed[i] as number); // both have 16 bytes
  hash.update(mixed);
  return hash.digest().subarray(0, 16);
}
