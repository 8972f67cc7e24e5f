/** The kinds of value that flags take: how text becomes a value, and what help calls it. */
import { isIP } from "node:net";
import { fromBareHex } from "../bytes/hex.ts";

/** Turns text into a value or throws an `Error` whose message completes "must be ...". */
export interface Kind<T> {
  /** What help shows for the value, such as `N`; empty for switches. */
  readonly hint: string;
  parse(text: string): T;
}

/** An account: its address, or its place in the keystore's list. */
export type AccountReference =
  | { readonly kind: "address"; readonly address: Uint8Array }
  | { readonly kind: "index"; readonly index: number };

/** A switch. */
export const boolean: Kind<boolean> = {
  hint: "",
  parse: (text) => {
    if (["true", "1", "yes", "on"].includes(text.toLowerCase())) return true;
    if (["false", "0", "no", "off"].includes(text.toLowerCase())) return false;
    throw new Error("true or false");
  },
};

/** Any text; empty means not given. */
export const text: Kind<string> = { hint: "TEXT", parse: (value) => value };

/** Text of at most so many bytes. */
export function shortText(most: number): Kind<string> {
  return {
    hint: "TEXT",
    parse: (value) => {
      if (Buffer.byteLength(value) <= most) return value;
      throw new Error(`a text of at most ${most} bytes`);
    },
  };
}

/** A file or directory. */
export const path: Kind<string> = { hint: "PATH", parse: (value) => value };

/** Words between commas; space around them and empty ones do not count. */
export const list: Kind<readonly string[]> = { hint: "LIST", parse: splitList };

/** A whole number from `least` to `most`. */
export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  return {
    hint: "N",
    parse: (value) => {
      const parsed = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
      if (parsed >= least && parsed <= most) return parsed;
      if (most === Number.MAX_SAFE_INTEGER) throw new Error(`a whole number of at least ${least}`);
      throw new Error(`a whole number from ${least} to ${most}`);
    },
  };
}

/** A TCP port; 0 takes a free one. */
export const port: Kind<number> = { ...integer(0, 65_535), hint: "PORT" };

/** Networks between commas, such as `10.0.0.0/8` or `fc00::/7`. */
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

/** What `extip:` names, or a way to ask routers. */
export type AddressSource = "any" | "none" | "upnp" | "pmp" | { readonly ip: string };

/** How a node learns the address that others know it by. */
export const addressSource: Kind<AddressSource> = {
  hint: "none|extip:IP",
  parse: (value) => {
    if (value === "any" || value === "none" || value === "upnp" || value === "pmp") return value;
    const ip = /^extip:(.*)$/.exec(value)?.[1] ?? "";
    if (isIP(ip) !== 0) return { ip };
    throw new Error("none, extip:IP, any, upnp or pmp");
  },
};

/** Where to listen: `host:port` or `:port`, IPv6 in brackets. */
export const listenAddress: Kind<{ readonly host: string | undefined; readonly port: number }> = {
  hint: "HOST:PORT",
  parse: (value) => {
    const [, bracketed, plain = "", digits = ""] =
      /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(value) ?? [];
    const host = bracketed ?? plain;
    const good = digits !== "" && Number(digits) <= 65_535 && (host === "" || isIP(host) !== 0);
    if (!good) throw new Error("an address and port such as :32323 or 127.0.0.1:32323");
    return { host: host === "" ? undefined : host, port: Number(digits) };
  },
};

/** A whole number that may pass 2^53. */
export const amount: Kind<bigint> = {
  hint: "AMOUNT",
  parse: (value) => {
    if (!/^\d+$/.test(value)) throw new Error("a whole number");
    return BigInt(value);
  },
};

/** KAIA, down to a billionth. */
export const coins: Kind<number> = {
  hint: "KAIA",
  parse: (value) => {
    if (!/^\d{1,10}(\.\d{1,9})?$/.test(value)) throw new Error("an amount of KAIA such as 10 or 0.5");
    return Number(value);
  },
};

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A length of time such as `250ms`, `10s` or `1h30m`; the value is in milliseconds. */
export const duration: Kind<number> = {
  hint: "TIME",
  parse: (value) => {
    if (value === "0") return 0;
    if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) throw new Error("a time such as 250ms, 10s or 1h30m");
    const parts = value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
    return [...parts].reduce((sum, [, digits, unit]) => sum + Number(digits) * (UNIT_MS[unit ?? ""] ?? 0), 0);
  },
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

/** A number of bytes such as `512MiB`, `512Mi`, `1.5GB` or `2000000000`. */
export const byteSize: Kind<number> = {
  hint: "SIZE",
  parse: (value) => {
    const [, digits, unit = ""] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?i?)b?$/i.exec(value) ?? [];
    const factor = UNIT_BYTES[unit.toLowerCase()];
    if (digits === undefined || factor === undefined) throw new Error("a size such as 512MiB or 2GB");
    return Math.floor(Number(digits) * factor);
  },
};

/** One of some words. */
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

/** 32 bytes as 64 hex digits; the value is never repeated in an error. */
export const secret: Kind<Uint8Array> = {
  hint: "HEX",
  parse: (value) => {
    const digits = value.replace(/^0x/, "");
    if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw new Error("64 hex digits");
    return fromBareHex(digits);
  },
};

/** An account: 40 hex digits, with or without `0x`, or its place in the keystore's list. */
export const account: Kind<AccountReference> = { hint: "ACCOUNT", parse: parseAccount };

/** Accounts between commas. */
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
export const address: Kind<Uint8Array> = { hint: "ADDRESS", parse: parseAddress };

/** Addresses between commas. */
export const addresses: Kind<readonly Uint8Array[]> = {
  hint: "ADDRESSES",
  parse: (value) => splitList(value).map(parseAddress),
};

function parseAddress(value: string): Uint8Array {
  const digits = value.replace(/^0x/, "");
  if (!/^[0-9a-fA-F]{40}$/.test(digits)) throw new Error("an address of 40 hex digits");
  return fromBareHex(digits);
}

/** The block at which a fork begins, or `never`. */
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
