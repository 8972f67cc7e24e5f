/** IP addresses as text and bytes. */
import { isIPv4, isIPv6 } from "node:net";

/** Returns the subnet of an address as text: its first 24 bits (IPv4) or 64 bits (IPv6), in hex. */
export function subnetOf(ip: string): string {
  const bytes = ipBytes(ip);
  return Buffer.from(bytes.subarray(0, bytes.length === 4 ? 3 : 8)).toString("hex");
}

/**
 * Returns the part of an address that its owner cannot change, in hex: all of an IPv4 address, the first 64 bits of an
 * IPv6 address. Undefined for other text.
 */
export function ownerOfIp(ip: string): string | undefined {
  if (ip === "" || !(isIPv4(ip) || isIPv6(ip))) return undefined;
  return Buffer.from(ipBytes(plainIp(ip)).subarray(0, 8)).toString("hex");
}

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** Normalises an address: without a zone, IPv4 where it is mapped into IPv6. */
export function plainIp(ip: string): string {
  return ipText(ipBytes(ip)) ?? ip;
}

/** Returns the 4 or 16 bytes of an address. Throws `RangeError` for other text. */
export function ipBytes(ip: string): Uint8Array {
  if (isIPv4(ip)) return Uint8Array.from(ip.split("."), Number);
  const [bare = ""] = ip.split("%");
  if (!isIPv6(bare)) throw new RangeError(`${ip} is not an IP address`);
  const [head = "", tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split("::");
  const before = groups(head);
  const after = groups(tail ?? "");
  const middle = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Uint8Array.from([...before, ...middle, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Formats an address of 4 or 16 bytes. Returns undefined for any other length. */
export function ipText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return undefined;
  if (MAPPED.equals(bytes.subarray(0, 12))) return bytes.subarray(12).join(".");
  const hex = Buffer.from(bytes)
    .toString("hex")
    .replace(/(.{4})(?!$)/g, "$1:");
  return new URL(`http://[${hex}]`).hostname.slice(1, -1);
}
