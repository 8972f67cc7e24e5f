/**
 * Typed readers of members of parsed JSON objects. `null` counts as absent. They throw `ConfigError`
 * `bad-chain-config`.
 */
import { ConfigError } from "./error.ts";

/** An object of parsed JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value as an object; `name` appears in the error. */
export function readObject(value: unknown, name: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw memberError(name, "an object", value);
  return value as JsonObject; // an object with string keys: checked above
}

/** Returns an own member, or `undefined` when it is absent or null. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? (object[key] ?? undefined) : undefined;
}

/** Reads an unsigned integer up to 2^53 - 1. */
export function readNumber(object: JsonObject, key: string, absent: number): number {
  const value = member(object, key);
  if (value === undefined) return absent;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw memberError(key, "an integer from 0 to 2^53 - 1", value);
  }
  return value;
}

/** Reads an unsigned integer of at most 256 bits. */
export function readUnsigned(object: JsonObject, key: string, absent: bigint): bigint {
  const value = member(object, key);
  if (value === undefined) return absent;
  if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) {
    const integer = BigInt(value);
    if (integer >= 0n && integer < 1n << 256n) return integer;
  }
  throw memberError(key, "an unsigned integer", value);
}

/** Reads a text. */
export function readText(object: JsonObject, key: string, absent: string): string {
  const value = member(object, key);
  if (value === undefined) return absent;
  if (typeof value !== "string") throw memberError(key, "a text", value);
  return value;
}

/** Reads a boolean; absent is false. */
export function readBoolean(object: JsonObject, key: string): boolean {
  const value = member(object, key) ?? false;
  if (typeof value !== "boolean") throw memberError(key, "true or false", value);
  return value;
}

function memberError(key: string, wanted: string, value: unknown): ConfigError {
  const found =
    typeof value === "string" || typeof value === "number" ? `${value}`.slice(0, 60) : typeof value;
  return new ConfigError("bad-chain-config", `${key} must be ${wanted}, not ${found}`);
}
