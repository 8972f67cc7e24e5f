/**
 * Derivation paths as people write them (BIP-32): `m/44'/60'/0'/0/1`, or relative to the usual root, `1`. Parts are
 * decimal, octal (`010`) or hexadecimal (`0x0a`), an apostrophe hardens one.
 */
import { AccountsError } from "./error.ts";

/** Root of relative paths (BIP-44, as in Ethereum's wallets). */
const ROOT = "m/44'/60'/0'/0";
const HARDENED = 2 ** 31;
/** Maximum depth of a path. */
const MAX_PARTS = 16;

/**
 * Returns the canonical path, absolute and decimal. Throws `AccountsError` `bad-path` with the Go node's
 * texts.
 */
export function parseDerivationPath(text: string): string {
  const parts = text.split("/");
  const [first = ""] = parts;
  const absolute = first.trim() === "m";
  if (!absolute && first.trim() === "") {
    throw badPathError(
      text === ""
        ? "empty derivation path"
        : "ambiguous path: use 'm/' prefix for absolute paths, or no leading '/' for relative ones",
    );
  }
  const given = absolute ? parts.slice(1) : parts;
  if (given.length === 0) throw badPathError("empty derivation path");
  if (given.length > MAX_PARTS) throw badPathError(`derivation path of more than ${MAX_PARTS} parts`);
  const written = given.map(parsePart).join("/");
  return absolute ? `m/${written}` : `${ROOT}/${written}`;
}

function parsePart(text: string): string {
  const part = text.trim();
  const hardened = part.endsWith("'");
  const digits = hardened ? part.slice(0, -1).trim() : part;
  const number = parseNumber(digits);
  if (number === undefined) throw badPathError(`invalid component: ${excerpt(digits)}`);
  if (number >= HARDENED) {
    const range = hardened ? "hardened range" : "range";
    throw badPathError(`component ${excerpt(digits)} out of allowed ${range} [0, ${HARDENED - 1}]`);
  }
  return `${number}${hardened ? "'" : ""}`;
}

function parseNumber(digits: string): number | undefined {
  if (/^0x[0-9a-f]{1,16}$/i.test(digits)) return Number.parseInt(digits, 16);
  if (/^0[0-7]{1,20}$/.test(digits)) return Number.parseInt(digits, 8);
  return /^(0|[1-9][0-9]{0,18})$/.test(digits) ? Number(digits) : undefined;
}

function excerpt(text: string): string {
  return text.slice(0, 32);
}

function badPathError(message: string): AccountsError {
  return new AccountsError("bad-path", message);
}
