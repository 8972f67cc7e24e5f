/**
 * Kinds of option values: each parses the text of a flag into the value that the program uses, in base units, and has
 * the placeholder that help shows.
 */
import { isIP } from "node:net";
import type { Address } from "../bytes/brands.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { MAX_TIMER_MS } from "../runtime/clock.ts";

/** A kind of value. `parse` throws an `Error` whose message completes "must be ...". */
export interface Kind<T> {
  /** The placeholder in help, such as `N`; empty for switches. */
  readonly hint: string;
  parse(text: string): T;
  /** Formats a value as a text that `parse` accepts; absent for values whose plain text is that. */
  readonly format?: (value: never) => string;
  /** True for values that are never printed. */
  readonly isSecret?: true;
}

/** An account by its address or by its index in the keystore. */
export type AccountReference =
  | { readonly kind: "address"; readonly address: Address }
  | { readonly kind: "index"; readonly index: number };

/** A switch: true, 1, yes, on, or false, 0, no, off. */
export const booleanKind: Kind<boolean> = {
  hint: "",
  parse: (text) => {
    if (["true", "1", "yes", "on"].includes(text.toLowerCase())) return true;
    if (["false", "0", "no", "off"].includes(text.toLowerCase())) return false;
    throw new Error("true or false");
  },
};

/** Any text; an empty text counts as absent. */
export const textKind: Kind<string> = { hint: "TEXT", parse: (value) => value };

/** A text of at most `maxBytes` bytes of UTF-8. */
export function shortText(maxBytes: number): Kind<string> {
  return {
    hint: "TEXT",
    parse: (value) => {
      if (Buffer.byteLength(value) <= maxBytes) return value;
      throw new Error(`a text of at most ${maxBytes} bytes`);
    },
  };
}

/** A path of a file or directory. */
export const path: Kind<string> = { hint: "PATH", parse: (value) => value };

/** A comma-separated list; surrounding blanks and empty items are dropped. */
export const list: Kind<readonly string[]> = { hint: "LIST", parse: splitList };

/** An integer from `min` to `max`. */
export function integerKind(min: number, max: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  return {
    hint: "N",
    parse: (value) => {
      const parsed = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
      if (parsed >= min && parsed <= max) return parsed;
      if (max === Number.MAX_SAFE_INTEGER) throw new Error(`a whole number of at least ${min}`);
      throw new Error(`a whole number from ${min} to ${max}`);
    },
  };
}

/** Whole seconds from `min` to `max`; the value is in milliseconds, at most the longest delay of a timer. */
export function secondsKind(min: number, max?: number): Kind<number> {
  const whole = integerKind(min, max);
  return {
    hint: "N",
    parse: (value) => Math.min(whole.parse(value) * 1_000, MAX_TIMER_MS),
    format: (ms: number) => String(ms / 1_000),
  };
}

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

/** Whole days; the value is in milliseconds. */
export const daysKind: Kind<number> = {
  hint: "N",
  parse: (value) => integerKind(0).parse(value) * DAY_MS,
  format: (ms: number) => String(ms / DAY_MS),
};

/** Bytes of one MiB. */
export const MEBIBYTE: number = 1 << 20;

/** A whole number of MiB of at least `min`; the value is in bytes. */
export function mebibytesKind(min: number): Kind<number> {
  const whole = integerKind(min);
  return {
    hint: "N",
    parse: (value) => whole.parse(value) * MEBIBYTE,
    format: (bytes: number) => String(bytes / MEBIBYTE),
  };
}

/** A TCP or UDP port; 0 for a free port. */
export const port: Kind<number> = { ...integerKind(0, 65_535), hint: "PORT" };

/** A comma-separated list of networks in CIDR notation, such as `10.0.0.0/8` or `fc00::/7`. */
export const networks: Kind<readonly string[]> = {
  hint: "NETWORKS",
  parse: (value) => {
    const found = splitList(value);
    if (found.length > 0 && found.every(isNetwork)) return found;
    throw new Error("networks such as 10.0.0.0/8 or fc00::/7, with commas between");
  },
};

function isNetwork(range: string): boolean {
  const [, address = "", prefix] = /^([^/]*)\/(\d{1,3})$/.exec(range) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** The address of `extip:IP`, or a method of NAT traversal. */
export type AddressSource = "any" | "none" | "upnp" | "pmp" | { readonly ip: string };

/** The source of the external address of a node. */
export const addressSource: Kind<AddressSource> = {
  hint: "none|extip:IP",
  parse: (value) => {
    if (value === "any" || value === "none" || value === "upnp" || value === "pmp") return value;
    const ip = /^extip:(.*)$/.exec(value)?.[1] ?? "";
    if (isIP(ip) !== 0) return { ip };
    throw new Error("none, extip:IP, any, upnp or pmp");
  },
};

/** A listening address: `host:port` or `:port`, IPv6 in brackets. */
export const listenAddress: Kind<{ readonly host: string | undefined; readonly port: number }> = {
  hint: "HOST:PORT",
  parse: (value) => {
    const [, bracketed, plain = "", digits = ""] =
      /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(value) ?? [];
    const host = bracketed ?? plain;
    const isValid = digits !== "" && Number(digits) <= 65_535 && (host === "" || isIP(host) !== 0);
    if (!isValid) throw new Error("an address and port such as :32323 or 127.0.0.1:32323");
    return { host: host === "" ? undefined : host, port: Number(digits) };
  },
};

/** An unsigned integer of any size. */
export const amount: Kind<bigint> = {
  hint: "AMOUNT",
  parse: (value) => {
    if (!/^\d+$/.test(value)) throw new Error("a whole number");
    return BigInt(value);
  },
};

/** Peb in one KLAY or KAIA. */
export const PEB_PER_KLAY: bigint = 10n ** 18n;

/** A whole amount in KLAY; the value is in peb. */
export const klayKind: Kind<bigint> = {
  hint: "AMOUNT",
  parse: (value) => amount.parse(value) * PEB_PER_KLAY,
  format: (peb: bigint) => String(peb / PEB_PER_KLAY),
};

/** An amount in KAIA, with at most nine decimals. */
export const coins: Kind<number> = {
  hint: "KAIA",
  parse: (value) => {
    if (!/^\d{1,10}(\.\d{1,9})?$/.test(value)) throw new Error("an amount of KAIA such as 10 or 0.5");
    return Number(value);
  },
};

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration such as `250ms`, `10s` or `1h30m`; the value is in milliseconds. */
export const duration: Kind<number> = {
  hint: "TIME",
  parse: (value) => {
    if (value === "0") return 0;
    if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) throw new Error("a time such as 250ms, 10s or 1h30m");
    const parts = value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
    return [...parts].reduce((sum, [, digits, unit]) => sum + Number(digits) * (UNIT_MS[unit ?? ""] ?? 0), 0);
  },
  format: durationText,
};

/** Formats a duration in the largest whole unit. */
function durationText(ms: number): string {
  const units = [
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
  ] as const;
  const found = units.find(([, size]) => ms >= size && ms % size === 0);
  return found ? `${ms / found[1]}${found[0]}` : `${ms}ms`;
}

/** A duration for a timer, at most the longest delay of one. */
export const timerKind: Kind<number> = {
  ...duration,
  parse: (value) => Math.min(duration.parse(value), MAX_TIMER_MS),
};

/** A duration for a timer, for which 0 means no limit: the value is then the longest delay of a timer. */
export const timeLimitKind: Kind<number> = {
  ...duration,
  parse: (value) => timerKind.parse(value) || MAX_TIMER_MS,
};

const UNIT_BYTES: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
};

/** A size such as `512MiB`, `512Mi`, `1.5GB` or `2000000000`; the value is in bytes. */
export const byteSize: Kind<number> = {
  hint: "SIZE",
  parse: (value) => {
    const [, digits, unit = ""] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?i?)b?$/i.exec(value) ?? [];
    const factor = UNIT_BYTES[unit.toLowerCase()];
    if (digits === undefined || factor === undefined) throw new Error("a size such as 512MiB or 2GB");
    return Math.floor(Number(digits) * factor);
  },
};

/** One of `words`. */
export function choice<const T extends string>(words: readonly T[]): Kind<T> {
  return {
    hint: words.join("|"),
    parse: (value) => {
      const found = words.find((word) => word === value);
      if (found === undefined) throw new Error(`one of ${words.join(", ")}`);
      return found;
    },
  };
}

/** A private key: 64 hex digits. The value does not appear in errors. */
export const secret: Kind<Uint8Array> = {
  hint: "HEX",
  isSecret: true,
  parse: (value) => {
    const digits = value.replace(/^0x/, "");
    if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw new Error("64 hex digits");
    return fromBareHex(digits);
  },
};

/** An account: 40 hex digits, with or without `0x`, or its index in the keystore. */
export const account: Kind<AccountReference> = { hint: "ACCOUNT", parse: parseAccount };

/** A comma-separated list of accounts. */
export const accounts: Kind<readonly AccountReference[]> = {
  hint: "ACCOUNTS",
  parse: (value) => splitList(value).map(parseAccount),
};

function parseAccount(value: string): AccountReference {
  const digits = value.replace(/^0x/, "");
  if (/^[0-9a-fA-F]{40}$/.test(digits)) return { kind: "address", address: fromBareHex(digits) };
  if (/^\d{1,9}$/.test(value)) return { kind: "index", index: Number(value) };
  throw new Error("an account address or its index in the keystore");
}

/** An address: 40 hex digits, with or without `0x`; 20 bytes. */
export const addressKind: Kind<Address> = { hint: "ADDRESS", parse: parseAddress };

/** A comma-separated list of addresses. */
export const addresses: Kind<readonly Address[]> = {
  hint: "ADDRESSES",
  parse: (value) => splitList(value).map(parseAddress),
};

function parseAddress(value: string): Address {
  const digits = value.replace(/^0x/, "");
  if (!/^[0-9a-fA-F]{40}$/.test(digits)) throw new Error("an address of 40 hex digits");
  return fromBareHex(digits);
}

/** A fork block, or `never`. */
export const fork: Kind<number | "never"> = {
  hint: "BLOCK",
  parse: (value) => {
    if (value === "never") return value;
    if (/^\d{1,15}$/.test(value)) return Number(value);
    throw new Error("a block number or never");
  },
};

function splitList(value: string): string[] {
  const words = value.split(",").map((word) => word.trim());
  return words.filter((word) => word !== "");
}
