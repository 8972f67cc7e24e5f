/** Objects whose keys come out in byte order, as the Go node writes what it builds as a map. */
import { goJson, goText } from "./json-text.ts";

/** A plain object with its keys in order; values hold no bigint and no bytes. */
export function sorted(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const keys = Object.keys(fields).sort();
  return Object.fromEntries(keys.map((key) => [key, fields[key]]));
}

/** The same as JSON text. */
export function sortedJson(fields: Readonly<Record<string, unknown>>): string {
  return goJson(sorted(fields));
}

/** Members that are JSON text already, by key; keys that look like numbers are texts here as any other. */
export function sortedMembers(members: Iterable<readonly [key: string, json: string]>): string {
  const rows = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${rows.map(([key, json]) => `${goText(key)}:${json}`).join(",")}}`;
}
