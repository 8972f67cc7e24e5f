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

/** Parses JSON text; strings with escapes become `EscapedText`, keys do not. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes("\\") ? markEscapes(text, value) : value;
}

/**
 * Replaces the strings with escapes in the value of a JSON text. The text is parsed again with a number in place of each
 * of them: a reviver, which the engine calls for each value, takes fifty times as long.
 */
function markEscapes(text: string, value: unknown): unknown {
  const raws: string[] = [];
  let numbered = "";
  let copied = 0;
  for (let escape = text.indexOf("\\"); escape >= 0; ) {
    const start = text.lastIndexOf('"', escape); // before the first escape of a string there is no quote in it
    const end = escapedEnd(text, escape);
    if (!isKey(text, end)) {
      numbered += `${text.slice(copied, start)}${raws.length}`;
      copied = end;
      raws.push(text.slice(start + 1, end - 1));
    }
    escape = text.indexOf("\\", end);
  }
  if (raws.length === 0) return value;
  const root = { value };
  putEscapes(root, { value: JSON.parse(numbered + text.slice(copied)) }, raws);
  return root.value;
}

/** Returns the index behind the string with an escape at `at`. */
function escapedEnd(text: string, at: number): number {
  let end = at;
  for (; text[end] !== '"'; end++) if (text[end] === "\\") end++;
  return end + 1;
}

const COLON_NEXT = /[ \t\n\r]*:/y;

/** True when the string that ends before `end` is a key. */
function isKey(text: string, end: number): boolean {
  COLON_NEXT.lastIndex = end;
  return COLON_NEXT.test(text);
}

type Members = Record<string, unknown>;

/** Puts `EscapedText` where a tree has a string and its numbered copy a number. */
function putEscapes(root: Members, numbered: Members, raws: readonly string[]): void {
  const trees: object[] = [root];
  const copies: object[] = [numbered];
  const escaped = (value: string, index: unknown): unknown => {
    const raw = typeof index === "number" ? raws[index] : undefined;
    return raw === undefined ? value : new EscapedText(value, raw);
  };
  const wait = (tree: unknown, copy: unknown): void => {
    if (typeof tree !== "object" || tree === null || typeof copy !== "object" || copy === null) return;
    trees.push(tree);
    copies.push(copy);
  };
  const passItems = (list: unknown[], copy: readonly unknown[]): void => {
    for (let at = 0; at < list.length; at++) {
      const value = list[at];
      if (typeof value === "string") list[at] = escaped(value, copy[at]);
      else wait(value, copy[at]);
    }
  };
  const passMembers = (members: Members, copy: Members): void => {
    for (const key of Object.keys(members)) {
      const value = members[key]; // its own member, also of the name __proto__
      if (typeof value === "string") members[key] = escaped(value, copy[key]);
      else wait(value, copy[key]);
    }
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
