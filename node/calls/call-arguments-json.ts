import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { authorizationsJson } from "../model/authorization.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";

/** A transaction object as JSON again, for a reader thread. */
export function callJson(args: CallArgs): object {
  const json: Record<string, unknown> = {};
  const { authorizationList, ...plain } = args;
  for (const [name, value] of Object.entries(plain)) json[name] = shown(value);
  if (authorizationList !== undefined) json["authorizationList"] = authorizationsJson(authorizationList);
  return json;
}

function shown(value: unknown): unknown {
  if (typeof value === "bigint") return toQuantity(value);
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(shown);
  return typeof value === "object" && value !== null ? callJson(value) : value;
}
