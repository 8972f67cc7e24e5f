/**
 * JSON text as the Go node writes it (`<`, `>`, `&`, U+2028 and U+2029 are escaped inside strings, the keys
 * of maps are sorted), and parsing that keeps the raw text of escaped strings and of unusual numbers.
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
  if (typeof value === "number" || value instanceof NumberText) return "number";
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
 * A JSON number that is no plain integer of up to 15 digits: it has a point, an exponent, the sign of minus zero or more
 * digits. Codecs of integers read the raw token, as the Go node does: to it, 1.0 and 1e3 are no integers.
 */
export class NumberText {
  readonly value: number;
  readonly raw: string;
  constructor(value: number, raw: string) {
    this.value = value;
    this.raw = raw;
  }
}

/** Returns the value of a string or number whose raw text is kept, and any other value as it is. */
export function plainValue(json: unknown): unknown {
  return json instanceof EscapedText || json instanceof NumberText ? json.value : json;
}

/** Matches text with an escape or with a number whose raw text is kept, and seldom inside strings of other text. */
const KEPT = /\\|(?:^|[[:,])[ \t\n\r]*(?:-0|-?\d+[.eE]|-?\d{16})/;

/**
 * Parses JSON text; strings with escapes become `EscapedText`, keys do not, and unusual numbers become `NumberText`: the
 * first 4,096 of a value. Throws `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return KEPT.test(text) ? keepTexts(text, value) : value;
}

/** Texts of one value that are kept. Later ones are read as usual, so that millions in one request cost little more. */
const MAX_KEPT = 4_096;
/** A string, or a number that becomes `NumberText`. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-0(?![\d.eE])|-?\d+(?:\.\d+)?[eE][+-]?\d+|-?\d+\.\d+|-?\d{16,}/g;

/**
 * Replaces the strings with escapes and the unusual numbers in the value of a JSON text. The text is parsed again with a
 * number in place of each such string and a string in place of each such number: a reviver, which the engine calls for
 * each value, takes fifty times as long.
 */
function keepTexts(text: string, value: unknown): unknown {
  const raws: string[] = [];
  let numbered = "";
  let copied = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isString = token.startsWith('"');
    const end = index + token.length;
    if (isString && (!token.includes("\\") || isKey(text, end))) continue;
    numbered += text.slice(copied, index) + (isString ? raws.length : `"${raws.length}"`);
    copied = end;
    if (raws.push(isString ? token.slice(1, -1) : token) === MAX_KEPT) break;
  }
  if (raws.length === 0) return value;
  const root = { value };
  putTexts(root, { value: JSON.parse(numbered + text.slice(copied)) }, raws);
  return root.value;
}

const COLON_NEXT = /[ \t\n\r]*:/y;

/** True when the string that ends before `end` is a key. */
function isKey(text: string, end: number): boolean {
  COLON_NEXT.lastIndex = end;
  return COLON_NEXT.test(text);
}

type Members = Record<string, unknown>;

/** Puts the kept texts where a tree and its numbered copy have a string and a number, either way. */
function putTexts(root: Members, numbered: Members, raws: readonly string[]): void {
  const trees: object[] = [root];
  const copies: object[] = [numbered];
  const kept = (value: unknown, copy: unknown): unknown => {
    if (typeof value === "string" && typeof copy === "number")
      return new EscapedText(value, raws[copy] ?? "");
    if (typeof value === "number" && typeof copy === "string")
      return new NumberText(value, raws[Number(copy)] ?? "");
    if (typeof value === "object" && value !== null && typeof copy === "object" && copy !== null) {
      trees.push(value);
      copies.push(copy);
    }
    return value;
  };
  const passItems = (list: unknown[], copy: readonly unknown[]): void => {
    for (let at = 0; at < list.length; at++) list[at] = kept(list[at], copy[at]);
  };
  const passMembers = (members: Members, copy: Members): void => {
    for (const key of Object.keys(members)) members[key] = kept(members[key], copy[key]); // its own, also __proto__
  };
  for (let tree = trees.pop(); tree !== undefined; tree = trees.pop()) {
    const copy = copies.pop();
    if (Array.isArray(tree)) passItems(tree, copy as unknown[]);
    else passMembers(tree as Members, copy as Members); // both are of one shape
  }
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
