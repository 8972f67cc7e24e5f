/**
 * Compares answers by their shape: members by name, and the form of each value (quantity, bytes of a fixed length, any
 * bytes, text, number, boolean), not the values themselves.
 */

/** Members whose bytes have a fixed length. */
const FIXED = /^(.*hash|.*root|.*address|from|to|miner|sha3uncles|logsbloom|topics|blobversionedhashes)$/i;

/** Returns a line for each difference between the shapes of two answers; empty lists and nulls fit any other. */
export function shapeDifferences(expected: unknown, found: unknown, at = "result"): string[] {
  if (isNothing(expected) || isNothing(found)) {
    return at === "result" && expected !== found ? [lineOf(expected, found, at)] : [];
  }
  if (isObject(expected) && isObject(found)) return memberDifferences(expected, found, at);
  if (!Array.isArray(expected) || !Array.isArray(found)) return formDifferences(expected, found, at);
  const isEmpty = expected.length === 0 || found.length === 0;
  return isEmpty ? [] : shapeDifferences(expected[0], found[0], `${at}[]`);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function formDifferences(expected: unknown, found: unknown, at: string): string[] {
  const isFixed = FIXED.test(at.replace(/.*\./, "").replaceAll("[]", ""));
  const forms = formsOf(found, isFixed);
  return formsOf(expected, isFixed).some((form) => forms.includes(form)) ? [] : [lineOf(expected, found, at)];
}

function lineOf(expected: unknown, found: unknown, at: string): string {
  return `${at}: expected ${textOf(expected)}, found ${textOf(found)}`;
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function memberDifferences(expected: Members, found: Members, at: string): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  if (names.every((name) => /^0x[0-9a-f]+$/i.test(name))) return []; // addresses and slots by themselves
  return names.flatMap((name) => {
    if (!(name in found)) return [`${at}.${name} is missing`];
    if (!(name in expected)) return [`${at}.${name} is more`];
    return shapeDifferences(expected[name], found[name], `${at}.${name}`);
  });
}

/** The forms that a value may be taken for. */
function formsOf(value: unknown, isFixed: boolean): string[] {
  if (typeof value !== "string") return [Array.isArray(value) ? "list" : typeof value];
  if (!/^0x[0-9a-f]*$/i.test(value)) return ["text"];
  const digits = value.length - 2;
  if (isFixed) return [`${digits / 2} bytes`];
  const isQuantity = /^0x(0|[1-9a-f][0-9a-f]*)$/i.test(value);
  return [...(isQuantity ? ["quantity"] : []), ...(digits % 2 === 0 ? ["bytes"] : [])];
}

function textOf(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}
