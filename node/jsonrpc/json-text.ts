/** JSON text the way the Go node writes it: `<`, `>`, `&`, U+2028 and U+2029 are escaped inside strings. */

const ESCAPED = /[<>&\u2028\u2029]/;
const ESCAPED_ALL = /[<>&\u2028\u2029]/g;

/** A string as JSON text. */
export function goText(text: string): string {
  return goEscape(JSON.stringify(text));
}

/** Any plain value as JSON text; bigints and functions are not plain. */
export function goJson(value: unknown): string {
  return goEscape(JSON.stringify(value));
}

/** Escapes JSON text that was written elsewhere: these characters can only stand inside its strings. */
export function goEscape(json: string): string {
  return ESCAPED.test(json) ? json.replace(ESCAPED_ALL, unicodeEscape) : json;
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** What Go calls the kind of a JSON value, in its decoding errors. */
export function jsonKind(value: unknown): "string" | "number" | "bool" | "array" | "object" | "null" {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string" || value instanceof EscapedText) return "string";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : "object";
}

/**
 * A JSON string that was written with escapes. Hex codecs read the raw token, as the Go node does, and so refuse
 * it; text codecs read the value.
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
 * Parses JSON text; strings written with escapes come out as `EscapedText`. Throws `SyntaxError`, or `RangeError`
 * when escapes stand in values nested too deep.
 */
export function parseJson(text: string): unknown {
  return text.includes("\\") ? JSON.parse(text, keepEscapes) : JSON.parse(text);
}

function keepEscapes(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "string" || source === undefined || !source.includes("\\")) return value;
  return new EscapedText(value, source.slice(1, -1));
}
