/** Readers of the texts in a genesis: quantities, bytes, hashes and addresses. They throw `ConfigError` `bad-genesis`. */
import type { Hash } from "../bytes/brands.ts";
import { fromBareHex, tryBareHex } from "../bytes/hex.ts";
import { ConfigError } from "./error.ts";
import { type JsonObject, member } from "./json-reader.ts";

/** Reads hex (with 0x) or decimal digits as an integer of at most `bits` bits; an empty text is 0. */
export function readQuantity(object: JsonObject, key: string, bits: number): bigint | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw memberError(key, "a text with a hex or decimal number", value);
  if (value === "") return 0n;
  const isNumber = /^(0[xX][0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value);
  const quantity = isNumber ? BigInt(value.toLowerCase()) : undefined;
  if (quantity === undefined || quantity >> BigInt(bits) !== 0n)
    throw memberError(key, `a number of ${bits} bits`, value);
  return quantity;
}

/** Reads bytes from hex digits after 0x. */
export function readBytes(object: JsonObject, key: string): Uint8Array | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  const bytes = typeof value === "string" && /^0x/i.test(value) ? tryBareHex(value.slice(2)) : undefined;
  if (bytes === undefined) throw memberError(key, "0x and hex digits", value);
  return bytes;
}

/** Reads a hash: 64 hex digits after 0x. */
export function readHash(object: JsonObject, key: string): Hash | undefined {
  const bytes = readBytes(object, key);
  if (bytes !== undefined && bytes.length !== 32)
    throw memberError(key, "a hash of 32 bytes", member(object, key));
  return bytes;
}

/** Reads a key of `alloc`; returns 40 lower-case hex digits. */
export function readAddress(key: string): string {
  const digits = hexDigits(key);
  if (!/^[0-9a-f]{40}$/.test(digits)) throw memberError("alloc", "addresses of 40 hex digits", key);
  return digits;
}

/** Reads a slot or its value: up to 64 hex digits, left-padded to 32 bytes. */
export function readSlot(value: unknown): Uint8Array {
  const digits = typeof value === "string" ? hexDigits(value) : undefined;
  if (digits === undefined || !/^[0-9a-f]{0,64}$/.test(digits)) {
    throw memberError("storage", "words of up to 64 hex digits", value);
  }
  return fromBareHex(digits.padStart(64, "0"));
}

function hexDigits(text: string): string {
  return (/^0x/i.test(text) ? text.slice(2) : text).toLowerCase();
}

function memberError(key: string, wanted: string, value: unknown): ConfigError {
  const found = typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : typeof value;
  return new ConfigError("bad-genesis", `${key} must be ${wanted}, not ${found}`);
}
