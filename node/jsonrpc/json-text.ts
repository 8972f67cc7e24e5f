/**
 * JSON text as the Go node writes it (`<`, `>`, `&`, U+2028 and U+2029 are escaped inside strings, the keys
 * of maps are sorted), and parsing that keeps the raw text of escaped strings.
 */

const ESCAPED = /[<>&\u2028\u2029]/;
const ESCAPED_ALL = /[<>&\u2028\u2029]/g;

/** Returns a string as JSON text. */
export function goText(text: string): string {
  return goEscape(JSON.stringify(text));
}

/** Returns a plain value as JSON text; bigints and functions are not plain. */
export function goJson(value: unknown): string {
  return goEscape(JSON.stringify(value));
}

/** Escapes JSON text of another writer: these characters occur only inside its strings. */
export function goEscape(json: string): string {
  return ESCAPED.test(json) ? json.replace(ESCAPED_ALL, unicodeEscape) : json;
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns Go's name for the kind of a JSON value, as in its decoding errors. */
export function jsonKind(value: unknown): "string" | "number" | "bool" | "array" | "object" | "null" {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string" || value instanceof EscapedText) return "string";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : "object";
}

/**
 * A JSON string that contains escapes. Hex codecs read the raw token and refuse it, as the Go node does; text
 * codecs read the value.
 */
export class EscapedText {
  readonly value: string;
  readonly raw: string;
  constructor(value: string, raw: string) {
    this.value = value;
    this.raw = raw;
  }
}

/**
 * Parses JSON text; strings with escapes become `EscapedText`. Throws `SyntaxError`, or `RangeError` when
 * escapes occur in values with too deep nesting.
 */
export function parseJson(text: string): unknown {
  return text.includes("\\") ? JSON.parse(text, keepEscapes) : JSON.parse(text);
}

function keepEscapes(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "string" || source === undefined || !source.includes("\\")) return value;
  return new EscapedText(value, source.slice(1, -1));
}

/**
 * Returns a plain object with sorted keys, as the Go node writes maps. Values contain no bigint and no bytes.
 */
export function sortKeys(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const keys = Object.keys(fields).sort();
  return Object.fromEntries(keys.map((key) => [key, fields[key]]));
}

/** Returns a plain object as JSON text with sorted keys. */
export function sortedJson(fields: Readonly<Record<string, unknown>>): string {
  return goJson(sortKeys(fields));
}

/** Returns an object of members that are JSON text already, sorted by key as text, numeric keys too. */
export function sortedMembers(members: Iterable<readonly [key: string, json: string]>): string {
  const rows = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${rows.map(([key, json]) => `${goText(key)}:${json}`).join(",")}}`;
}
