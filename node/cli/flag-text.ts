/** Values of flags as text in the syntax of the command line. */
import { toHex } from "../bytes/hex.ts";
import type { OptionRow } from "../options/rows.ts";

/** Formats a value: as its kind does, lists with commas, absent values as empty text. */
export function flagText({ kind }: OptionRow<unknown>, value: unknown): string {
  if (value === undefined) return "";
  if (kind.format !== undefined) return kind.format(value as never); // a value of this kind
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.filter((word) => typeof word === "string").join(",");
  return typeof value === "object" ? "" : `${value as string | number | bigint | boolean}`; // no kind has others
}
