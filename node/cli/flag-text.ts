/** Values of flags as text in the syntax of the command line. */
import { toHex } from "../bytes/hex.ts";
import type { FlagName } from "../config/flags.ts";
import { flags } from "../config/flags.ts";

/** Formats a value: lists with commas, durations in the largest whole unit, absent values as empty text. */
export function flagText(name: FlagName, value: unknown): string {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.filter((word) => typeof word === "string").join(",");
  if (typeof value === "number" && flags[name].kind.hint === "TIME") return timeText(value);
  return ["string", "number", "bigint", "boolean"].includes(typeof value) ? String(value) : "";
}

function timeText(ms: number): string {
  const units = [
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
  ] as const;
  const found = units.find(([, size]) => ms >= size && ms % size === 0);
  return found ? `${ms / found[1]}${found[0]}` : `${ms}ms`;
}
