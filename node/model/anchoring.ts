/**
 * Decodes the input of an anchoring transaction: RLP `[type, data]`, where type 0 is a block summary as RLP
 * and 128 a JSON object, or an older summary without a type (`blockchain/types/anchoring_data.go@v2.2.2`). No
 * chain checks it; it is only shown.
 */
import { BytesError } from "../bytes/error.ts";
import { hashText } from "../bytes/hex.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { jsonInteger } from "../config/exact-json.ts";

const SUMMARY = 0;
const JSON_OBJECT = 128;
/** JSON that is nested deeper is shown as null. */
const MAX_DEPTH = 500;
const HASHES = ["blockHash", "transactionsRoot", "parentHash", "receiptsRoot", "stateRoot"];
const OLD_NUMBERS = ["blockNumber"];
const NUMBERS = ["blockNumber", "blockCount", "txCount"];

/** Returns the payload as an object, or null for an unknown form. */
export function anchoringJson(payload: Uint8Array): Readonly<Record<string, unknown>> | null {
  const typed = tryRead(() => readTyped(payload));
  if (typed === undefined) return tryRead(() => readSummary(payload, OLD_NUMBERS)) ?? null;
  const { type, data } = typed;
  if (type === SUMMARY) return tryRead(() => readSummary(data, NUMBERS)) ?? null;
  return type === JSON_OBJECT ? readObject(data) : null;
}

/** Reads `[type, data]`, the form of both typed payloads. */
function readTyped(payload: Uint8Array): { type: number; data: Uint8Array } {
  return readList(payload, (cursor) => ({ type: cursor.number(1), data: cursor.string() }));
}

function readSummary(bytes: Uint8Array, numbers: readonly string[]): Record<string, unknown> {
  return readList(bytes, (cursor) => {
    const summary: Record<string, unknown> = {};
    for (const name of HASHES) summary[name] = hashText(cursor.hash());
    for (const name of numbers) summary[name] = jsonInteger(cursor.bigint());
    return summary;
  });
}

function readList<T>(bytes: Uint8Array, read: (cursor: RlpCursor) => T): T {
  const cursor = new RlpCursor(bytes);
  const end = cursor.enter();
  const result = read(cursor);
  cursor.leave(end);
  if (!cursor.done) throw new BytesError("bad-rlp", "rlp: bytes after the item");
  return result;
}

function readObject(data: Uint8Array): Readonly<Record<string, unknown>> | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString());
  } catch {
    return null; // not JSON: the payload is unchecked
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed) || !isFlat(parsed)) return null;
  return sortKeys(parsed) as Record<string, unknown>; // sorting keeps an object an object
}

function isFlat(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth < MAX_DEPTH && Object.values(value).every((inner) => isFlat(inner, depth + 1));
}

/** Sorts the keys of objects at all depths, as the Go node does when it writes maps. */
function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sortKeys(inner)]));
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BytesError) return undefined;
    throw error;
  }
}
