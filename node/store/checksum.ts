/** A checksum for each row. */
import { crc32 } from "node:zlib";
import { StoreError } from "./error.ts";

/** Bytes that `appendChecksum` adds. */
export const CHECKSUM_LENGTH = 4;

/**
 * Copies `value` and the CRC-32 of key and value into `scratch` and returns that part of it. The engine's own
 * block checksums are not looked at when it reads, so a row carries its own.
 */
export function appendChecksum(key: Uint8Array, value: Uint8Array, scratch: Buffer): Uint8Array {
  scratch.set(value);
  scratch.writeUInt32LE(crc32(value, crc32(key)), value.length);
  return scratch.subarray(0, value.length + CHECKSUM_LENGTH);
}

/** The value without its checksum. Throws `StoreError` `corrupt` when they do not fit each other. */
export function checkedValue(key: Uint8Array, stored: Uint8Array): Uint8Array {
  const length = stored.length - CHECKSUM_LENGTH;
  const value = stored.subarray(0, Math.max(length, 0));
  if (length < 0 || readChecksum(stored, length) !== crc32(value, crc32(key))) {
    throw new StoreError("corrupt", `row ${Buffer.from(key).toString("hex")} fails its checksum`);
  }
  return value;
}

function readChecksum(stored: Uint8Array, at: number): number {
  return Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).readUInt32LE(at);
}
