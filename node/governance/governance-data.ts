/** Governance field of a header: an RLP string with a JSON object of parameters. */
import { BytesError } from "../bytes/error.ts";
import { decodeRlp, encodeRlp, stringBytes } from "../bytes/rlp.ts";
import { jsonDigits, jsonInteger } from "../config/exact-json.ts";
import { GovernanceError } from "./error.ts";
import { PARAMETERS, type ParameterValue, type ParameterValues, valueOfJson } from "./parameter-rows.ts";

/**
 * Decodes the field. Throws `GovernanceError` `bad-data`: "invalid rlp", "invalid json", or "invalid gov
 * data" for an unknown parameter and for an invalid value.
 */
export function decodeGovernanceData(bytes: Uint8Array): ParameterValues {
  const json = parseObject(rlpString(bytes));
  const values = new Map<string, ParameterValue>();
  for (const [name, member] of Object.entries(json)) {
    const row = PARAMETERS.get(name);
    const value = row && valueOfJson(row, member);
    if (value === undefined) throw new GovernanceError("bad-data", "invalid gov data");
    values.set(name, value);
  }
  return values;
}

function rlpString(bytes: Uint8Array): string {
  try {
    return Buffer.from(stringBytes(decodeRlp(bytes))).toString("utf8");
  } catch (cause) {
    if (!(cause instanceof BytesError)) throw cause;
  }
  throw new GovernanceError("bad-data", "invalid rlp");
}

/** Parses a JSON object; `null` is an empty object, as in Go. */
function parseObject(text: string): object {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new GovernanceError("bad-data", "invalid json", { cause });
  }
  if (json === null) return {};
  if (typeof json === "object" && !Array.isArray(json)) return json;
  throw new GovernanceError("bad-data", "invalid json");
}

/** Encodes the field. */
export function encodeGovernanceData(values: ParameterValues): Uint8Array<ArrayBuffer> {
  return encodeRlp(Buffer.from(JSON.stringify(valuesJson(values))));
}

/** Returns the values as an object, names ascending. */
export function valuesJson(values: ParameterValues): object {
  const rows = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(rows.map(([name, value]) => [name, valueJson(value)]));
}

/** Returns a value for `JSON.stringify`. Amounts are decimal strings, since they exceed the range of numbers. */
export function valueJson(value: ParameterValue): unknown {
  return typeof value === "bigint" ? jsonInteger(value) : value;
}

/** Returns a value of a parameter for `JSON.stringify`, with an amount as a number of any size. */
export function numericJson(name: string, value: ParameterValue | undefined): unknown {
  if (value === undefined) return undefined;
  return PARAMETERS.get(name)?.kind === "amount" ? jsonDigits(String(value)) : valueJson(value);
}

/** Returns true when both set the same parameters to the same values. */
export function sameValues(a: ParameterValues, b: ParameterValues): boolean {
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);
}
