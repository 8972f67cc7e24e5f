/**
 * Formatter of results (`console/jsre/pretty.go@v2.2.2`): colours on a terminal, sorted keys, at most four
 * levels.
 */
import { types } from "node:util";
import { BigNumber } from "bignumber.js";
import { goQuoted } from "../bytes/go-quoted.ts";
import { textOf } from "./big-number.ts";

/** Colours by kind of value. */
export interface Palette {
  readonly special: (text: string) => string;
  readonly string: (text: string) => string;
  readonly number: (text: string) => string;
  readonly function: (text: string) => string;
  readonly error: (text: string) => string;
}

const sgr = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;

/** Colours on a terminal. */
export const colours: Palette = {
  special: sgr(1, 22),
  string: sgr(32, 0),
  number: sgr(31, 0),
  function: sgr(35, 0),
  error: sgr(91, 0),
};

const as = (text: string): string => text;
/** No colours. */
export const noColours: Palette = { special: as, string: as, number: as, function: as, error: as };

const DEEPEST = 3;
const HIDDEN = new Set([
  "constructor",
  "hasOwnProperty",
  "isPrototypeOf",
  "propertyIsEnumerable",
  "toLocaleString",
  "toString",
  "valueOf",
]);

/** Formats a value. */
export function pretty(value: unknown, palette: Palette): string {
  return show(value, { palette, level: 0, inList: false });
}

interface Place {
  readonly palette: Palette;
  readonly level: number;
  readonly inList: boolean;
}

function show(value: unknown, place: Place): string {
  const { palette } = place;
  if (typeof value === "object" && value !== null) return showObject(value, place);
  if (typeof value === "string") return palette.string(goQuoted(value));
  if (typeof value === "number" || typeof value === "bigint") return palette.number(String(value));
  if (typeof value === "function") return palette.function(headOf(value));
  return typeof value === "symbol" ? `<${String(value)}>` : palette.special(String(value));
}

/** Returns a function without its body; functions of the console are `function()`. */
function headOf(value: unknown): string {
  const text = String(value);
  const head = text.startsWith("function") || text.startsWith("class") ? text : "function()";
  return (head.split("{")[0] ?? "").trim().replace(" (", "(").replace("(...args)", "()");
}

function showObject(value: object, place: Place): string {
  const { palette, level, inList } = place;
  if (BigNumber.isBigNumber(value)) return palette.number(value.toString());
  if (Array.isArray(value)) return showList(value, place);
  if (types.isRegExp(value)) return palette.string(String(value));
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== "Object") return level <= DEEPEST ? `<${kind} ${wordsOf(value)}>` : `<${kind}>`;
  const keys = keysOf(value);
  if (keys.length === 0) return "{}";
  if (level > DEEPEST) return "{...}";
  const inside = "  ".repeat(level + 1);
  const lines = keys.map((key) => {
    const shown = show(read(value, key), { palette, level: level + 1, inList: false });
    return `${inside}${key}: ${shown}`;
  });
  return `{\n${lines.join(",\n")}\n${"  ".repeat(inList ? level - 1 : level)}}`;
}

function showList(list: readonly unknown[], { palette, level }: Place): string {
  if (list.length === 0) return "[]";
  if (level > DEEPEST) return "[...]";
  return `[${list.map((each) => show(each, { palette, level: level + 1, inList: true })).join(", ")}]`;
}

/** Formats an object by its `toString`; a date has the short name of its time zone. */
function wordsOf(value: object): string {
  if (!types.isDate(value) || Number.isNaN(value.getTime())) return textOf(value);
  const zone = new Intl.DateTimeFormat("en-US", { timeZoneName: "short" })
    .formatToParts(value)
    .find(({ type }) => type === "timeZoneName");
  return String(value).replace(/\(.*\)$/, `(${zone?.value ?? "UTC"})`);
}

/** Reads a member; `undefined` when that fails, as for a property that the node does not serve. */
function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

/** Returns own keys and those of the constructor's prototype, values before functions. */
function keysOf(value: object): string[] {
  const keys = memberNames(value).filter((key) => !HIDDEN.has(key) && !key.startsWith("_"));
  const isFunction = (key: string): boolean => typeof read(value, key) === "function";
  const [functions, values] = [keys.filter(isFunction), keys.filter((key) => !isFunction(key))];
  return [...values.sort(), ...functions.sort()];
}

/** Returns the names of own members and of the constructor's prototype, without duplicates. */
export function memberNames(value: object): string[] {
  const own = Object.getOwnPropertyNames(value);
  const { constructor } = value as { constructor?: { prototype?: unknown } };
  const shared = constructor?.prototype;
  if (typeof shared !== "object" || shared === null || shared === value) return own;
  return [...new Set([...own, ...Object.getOwnPropertyNames(shared)])];
}
