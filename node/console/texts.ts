/** Conversions of texts, bytes and addresses to and from `0x` text, as in web3.js 0.20. */
import { BigNumber } from "bignumber.js";
import { bareHex } from "../bytes/hex.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { fromDecimal } from "./big-number.ts";

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replace(/^0x/, ""), "hex");
}

/** Converts each byte to a character. */
export function toAscii(hex: string): string {
  return bytesOf(hex).toString("latin1");
}

/** Returns the UTF-8 text before the first zero byte. */
export function toUtf8(hex: string): string {
  const bytes = bytesOf(hex);
  const end = bytes.indexOf(0);
  return (end === -1 ? bytes : bytes.subarray(0, end)).toString("utf8");
}

/** Converts each character to a byte. */
export function fromAscii(text: string): string {
  return `0x${Buffer.from(text, "latin1").toString("hex")}`;
}

/** Converts a text to UTF-8; with `withZeros` all of it, otherwise up to the first zero. */
export function fromUtf8(text: string, withZeros = false): string {
  const end = text.indexOf("\0");
  return `0x${Buffer.from(end === -1 || withZeros ? text : text.slice(0, end), "utf8").toString("hex")}`;
}

/** Converts any value to `0x` text: numbers by value, other texts and objects as bytes. */
export function web3ToHex(value: unknown): string {
  if (typeof value === "boolean") return fromDecimal(Number(value));
  if (typeof value === "object" && value !== null && !BigNumber.isBigNumber(value)) {
    return fromUtf8(JSON.stringify(value));
  }
  if (typeof value === "string") {
    if (/^0x/i.test(value)) return value;
    if (!/^-0x/i.test(value) && !Number.isFinite(Number(value))) return fromUtf8(value, true);
  }
  return fromDecimal(value);
}

/** Returns the keccak-256 hash of a text, or of bytes with `{encoding: "hex"}`. */
export function sha3(text: string, options?: { readonly encoding?: string }): string {
  const bytes = options?.encoding === "hex" ? bytesOf(text) : Buffer.from(text, "utf8");
  return `0x${bareHex(keccak256(bytes))}`;
}

/** True for forty hex digits, `0x` or not; of mixed case only with the right checksum (EIP-55). */
export function isAddress(address: unknown): boolean {
  if (typeof address !== "string" || !/^(0x)?[0-9a-f]{40}$/i.test(address)) return false;
  const digits = address.slice(-40);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || isChecksumAddress(address);
}

/** True for a valid checksum (EIP-55). */
export function isChecksumAddress(address: string): boolean {
  return `0x${address.replace(/^0x/, "")}` === toChecksumAddress(address);
}

/** Returns the address with checksum (EIP-55). Throws for an invalid address. */
export function toChecksumAddress(address?: string): string {
  if (address === undefined) return "";
  if (!/^(0x)?[0-9a-f]{40}$/i.test(address)) throw new Error("invalid address");
  const digits = address.slice(-40).toLowerCase();
  const hash = bareHex(keccak256(Buffer.from(digits)));
  const cased = Array.from(digits, (digit, i) => (Number(`0x${hash[i]}`) > 7 ? digit.toUpperCase() : digit));
  return `0x${cased.join("")}`;
}

/** Returns an address as an RPC parameter. Throws for an invalid address. */
export function inputAddress(address: unknown): string {
  if (typeof address === "string" && /^0x[0-9a-f]{40}$/i.test(address)) return address;
  if (typeof address === "string" && isAddress(address)) return `0x${address}`;
  throw new Error("invalid address");
}

/** Pads a text on the left with zeros or `sign`. */
export function padLeft(text: string, length: number, sign = "0"): string {
  return text.padStart(length, sign);
}

/** Pads a text on the right with zeros or `sign`. */
export function padRight(text: string, length: number, sign = "0"): string {
  return text.padEnd(length, sign);
}
