/** Members of parsed JSON objects, read with their types; `null` counts as absent. Throws `ConfigError` `bad-chain-config`. */
import { ConfigError } from "./error.ts";

/** An object out of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object. */
export function readObject(value: unknown, name: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw bad(name, "an object", value);
  return value as JsonObject; // an object with string keys: checked above
}

/** A member of the object itself, or undefined when it is absent or null. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? (object[key] ?? undefined) : undefined;
}

/** An unsigned integer up to 2^53 - 1. */
export function readNumber(object: JsonObject, key: string, absent: number): number {
  const value = member(object, key);
  if (value === undefined) return absent;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw bad(key, "an integer from 0 to 2^53 - 1", value);
  }
  return value;
}

/** An unsigned integer of at most 256 bits. */
export function readBigint(object: JsonObject, key: string, absent: bigint): bigint {
  const value = member(object, key);
  if (value === undefined) return absent;
  if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) {
    const integer = BigInt(value);
    if (integer >= 0n && integer < 1n << 256n) return integer;
  }
  throw bad(key, "an unsigned integer", value);
}

/** A text. */
export function readText(object: JsonObject, key: string, absent: string): string {
  const value = member(object, key);
  if (value === undefined) return absent;
  if (typeof value !== "string") throw bad(key, "a text", value);
  return value;
}

/** A truth value, false when absent. */
export function readBoolean(object: JsonObject, key: string): boolean {
  const value = member(object, key) ?? false;
  if (typeof value !== "boolean") throw bad(key, "true or false", value);
  return value;
}

function bad(key: string, wanted: string, value: unknown): ConfigError {
  const found =
    typeof value === "string" || typeof value === "number" ? `${value}`.slice(0, 60) : typeof value;
  return new ConfigError("bad-chain-config", `${key} must be ${wanted}, not ${found}`);
}
