/** The texts of a genesis: quantities, bytes, hashes and addresses. Throws `ConfigError` `bad-genesis`. */
import { fromBareHex } from "../bytes/hex.ts";
import { ConfigError } from "./error.ts";
import { type JsonObject, member } from "./json-reader.ts";

/** A text of hex (with 0x) or decimal digits as an integer of at most `bits` bits; empty text is 0. */
export function readQuantity(object: JsonObject, key: string, bits: number): bigint | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw bad(key, "a text with a hex or decimal number", value);
  if (value === "") return 0n;
  const isNumber = /^(0[xX][0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value);
  const quantity = isNumber ? BigInt(value.toLowerCase()) : undefined;
  if (quantity === undefined || quantity >> BigInt(bits) !== 0n)
    throw bad(key, `a number of ${bits} bits`, value);
  return quantity;
}

/** Bytes as hex digits after 0x. */
export function readBytes(object: JsonObject, key: string): Uint8Array | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^0x([0-9a-f]{2})*$/i.test(value))
    throw bad(key, "0x and hex digits", value);
  return fromBareHex(value.slice(2));
}

/** A hash: 64 hex digits after 0x. */
export function readHash(object: JsonObject, key: string): Uint8Array | undefined {
  const bytes = readBytes(object, key);
  if (bytes !== undefined && bytes.length !== 32) throw bad(key, "a hash of 32 bytes", member(object, key));
  return bytes;
}

/** A key of `alloc` as 40 lower-case digits. */
export function readAddress(key: string): string {
  const digits = bare(key);
  if (!/^[0-9a-f]{40}$/.test(digits)) throw bad("alloc", "addresses of 40 hex digits", key);
  return digits;
}

/** A slot or its value: up to 64 hex digits, filled up with zeros on the left. */
export function readSlot(value: unknown): Uint8Array {
  const digits = typeof value === "string" ? bare(value) : undefined;
  if (digits === undefined || !/^[0-9a-f]{0,64}$/.test(digits)) {
    throw bad("storage", "words of up to 64 hex digits", value);
  }
  return fromBareHex(digits.padStart(64, "0"));
}

function bare(text: string): string {
  return (/^0x/i.test(text) ? text.slice(2) : text).toLowerCase();
}

function bad(key: string, wanted: string, value: unknown): ConfigError {
  const found = typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : typeof value;
  return new ConfigError("bad-genesis", `${key} must be ${wanted}, not ${found}`);
}
