/** JSON with exact integers: amounts in a genesis pass 2^53, above which `JSON.parse` rounds. */
import { messageOf } from "../bytes/message-of.ts";
import { ConfigError } from "./error.ts";

/** JSON.rawJSON (ECMAScript proposal "JSON.parse source text access"), which TypeScript's library does not declare. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

/** Parses JSON; integers beyond 2^53 - 1 become bigint. Throws `ConfigError` `bad-json`. */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, exactNumber);
  } catch (error) {
    throw new ConfigError("bad-json", `not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Returns a value that `JSON.stringify` writes as an integer of any size. */
export function jsonInteger(value: bigint): number | object {
  return value >= -9007199254740991n && value <= 9007199254740991n
    ? Number(value)
    : rawJSON(value.toString());
}

/** Returns a value that `JSON.stringify` writes as the integer of these decimal digits. */
export function jsonDigits(text: string): number | object {
  return text.length < 16 ? Number(text) : rawJSON(text);
}

/** Returns the JSON text of a value; bigints become integers of any size. */
export function exactJsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, exactInteger, indent);
}

function exactInteger(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? jsonInteger(value) : value;
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}
