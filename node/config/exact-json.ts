/** JSON whose integers stay exact: amounts in a genesis pass 2^53, where `JSON.parse` alone would round them. */
import { messageOf } from "../bytes/message-of.ts";
import { ConfigError } from "./error.ts";

/** JSON.rawJSON (ECMAScript proposal "JSON.parse source text access"), which TypeScript's library does not know yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

/** Parses JSON; integers above 2^53 - 1 come as bigint, all other values as usual. Throws `ConfigError` `bad-json`. */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, exactNumber);
  } catch (error) {
    throw new ConfigError("bad-json", `not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** An integer as `JSON.stringify` writes it bare, whatever its size. */
export function jsonInteger(value: bigint): number | object {
  return value >= -9007199254740991n && value <= 9007199254740991n
    ? Number(value)
    : rawJSON(value.toString());
}

/** JSON text of a value whose bigints become integers, whatever their size. */
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
