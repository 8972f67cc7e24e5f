/** Texts, bytes and addresses as `0x` text. */
import { BigNumber } from "bignumber.js";
import { bareHex } from "../bytes/hex.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { fromDecimal } from "./big-number.ts";

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replace(/^0x/, ""), "hex");
}

/** Each byte as a character. */
export function toAscii(hex: string): string {
  return bytesOf(hex).toString("latin1");
}

/** The UTF-8 text before the first zero byte. */
export function toUtf8(hex: string): string {
  const bytes = bytesOf(hex);
  const end = bytes.indexOf(0);
  return (end === -1 ? bytes : bytes.subarray(0, end)).toString("utf8");
}

/** Each character as a byte. */
export function fromAscii(text: string): string {
  return `0x${Buffer.from(text, "latin1").toString("hex")}`;
}

/** The bytes of a text in UTF-8; all of them with `withZeros`, else those before the first zero. */
export function fromUtf8(text: string, withZeros = false): string {
  const end = text.indexOf("\0");
  return `0x${Buffer.from(end === -1 || withZeros ? text : text.slice(0, end), "utf8").toString("hex")}`;
}

/** Anything as `0x` text: numbers by value, other texts and objects by their bytes. */
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

/** The keccak-256 hash of a text, or of bytes with `{encoding: "hex"}`. */
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

/** True when upper and lower case are as EIP-55 says. */
export function isChecksumAddress(address: string): boolean {
  return `0x${address.replace(/^0x/, "")}` === toChecksumAddress(address);
}

/** The address in the case of EIP-55. Throws for what is none. */
export function toChecksumAddress(address?: string): string {
  if (address === undefined) return "";
  if (!/^(0x)?[0-9a-f]{40}$/i.test(address)) throw new Error("invalid address");
  const digits = address.slice(-40).toLowerCase();
  const hash = bareHex(keccak256(Buffer.from(digits)));
  const cased = Array.from(digits, (digit, i) => (Number(`0x${hash[i]}`) > 7 ? digit.toUpperCase() : digit));
  return `0x${cased.join("")}`;
}

/** An address as it is sent. Throws for what is none. */
export function inputAddress(address: unknown): string {
  if (typeof address === "string" && /^0x[0-9a-f]{40}$/i.test(address)) return address;
  if (typeof address === "string" && isAddress(address)) return `0x${address}`;
  throw new Error("invalid address");
}

/** Zeros, or another sign, in front up to a length. */
export function padLeft(text: string, length: number, sign = "0"): string {
  return text.padStart(length, sign);
}

/** The same behind. */
export function padRight(text: string, length: number, sign = "0"): string {
  return text.padEnd(length, sign);
}
