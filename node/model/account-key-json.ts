/** Account keys to and from JSON, as `{"keyType", "key"}` in the results of the account methods. */
import { bytesToBigint, fixedBytes, toQuantity } from "../bytes/integer.ts";
import { RlpWriter } from "../bytes/rlp-writer.ts";
import { jsonInteger } from "../config/exact-json.ts";
import { type AccountKey, FAIL_KEY, KEY_TYPES, LEGACY_KEY, NIL_KEY } from "./account-key.ts";
import { multiSigIn, publicKeyIn, rolesIn } from "./account-key-body.ts";
import { roleBasedKey } from "./account-key-update.ts";
import { ModelError } from "./error.ts";
import { compressPublicKey, decompressPublicKey } from "./public-key.ts";

/** JSON form of an account key. */
export interface AccountKeyJson {
  readonly keyType: number;
  readonly key: unknown;
}

/**
 * Returns a key as `getAccount` and `getAccountKey` show it. Throws `ModelError` or `BytesError` for a
 * malformed body.
 */
export function accountKeyJson(key: AccountKey): AccountKeyJson {
  return { keyType: key.type, key: bodyJson(key) };
}

function bodyJson(key: AccountKey): unknown {
  if (key.type === KEY_TYPES.public) return publicKeyJson(publicKeyIn(key));
  if (key.type === KEY_TYPES.roleBased) return rolesIn(key).map(accountKeyJson);
  if (key.type !== KEY_TYPES.weightedMultiSig) return {};
  const { threshold, keys } = multiSigIn(key);
  return {
    threshold: jsonInteger(threshold),
    keys: keys.map(({ weight, publicKey }) => ({
      weight: jsonInteger(weight),
      key: publicKeyJson(publicKey),
    })),
  };
}

function publicKeyJson(compressed: Uint8Array): { x: string; y: string } {
  const point = decompressPublicKey(compressed);
  if (point === undefined) throw invalidKey("a public key that is not a point of the curve");
  return {
    x: toQuantity(bytesToBigint(point.subarray(0, 32))),
    y: toQuantity(bytesToBigint(point.subarray(32))),
  };
}

/**
 * Reads a key's JSON form; integers are numbers or bigints. Throws `ModelError` `bad-account-key` with the Go
 * node's texts.
 */
export function accountKeyFromJson(json: unknown): AccountKey {
  const { keyType, key } = membersOf(json);
  switch (keyType) {
    case undefined:
      throw invalidKey("key type is not specified");
    case KEY_TYPES.nil:
      return NIL_KEY;
    case KEY_TYPES.legacy:
      return LEGACY_KEY;
    case KEY_TYPES.public:
      return publicKeyFromJson(key);
    case KEY_TYPES.fail:
      return FAIL_KEY;
    case KEY_TYPES.weightedMultiSig:
      return multiSigFromJson(key);
    case KEY_TYPES.roleBased:
      return roleBasedKey(listOf(key).map(roleFromJson));
    default:
      throw invalidKey("undefined account key type");
  }
}

function roleFromJson(json: unknown): AccountKey {
  if (membersOf(json)["keyType"] === KEY_TYPES.roleBased) {
    throw invalidKey("roleBasedKey cannot contains a roleBasedKey as a role key");
  }
  return accountKeyFromJson(json);
}

function publicKeyFromJson(json: unknown): AccountKey {
  const writer = new RlpWriter(64);
  writer.string(pointFromJson(json));
  return { type: KEY_TYPES.public, body: writer.take() };
}

function multiSigFromJson(json: unknown): AccountKey {
  const { threshold, keys } = membersOf(json);
  const least = integerFromJson(threshold, "invalid threshold of the multiSigKey");
  const writer = new RlpWriter(512);
  for (const entry of listOf(keys).toReversed()) {
    const { weight, key } = membersOf(entry);
    const mark = writer.length;
    writer.string(pointFromJson(key));
    writer.integer(integerFromJson(weight, "invalid weight of the multiSigKey"));
    writer.list(mark);
  }
  writer.list(0);
  writer.integer(least);
  writer.list(0);
  return { type: KEY_TYPES.weightedMultiSig, body: writer.take() };
}

function pointFromJson(json: unknown): Uint8Array {
  const { x, y } = membersOf(json);
  const point = new Uint8Array(64);
  point.set(coordinate(x));
  point.set(coordinate(y), 32);
  const compressed = compressPublicKey(point);
  const found = decompressPublicKey(compressed);
  if (found === undefined || Buffer.compare(found, point) !== 0) {
    throw invalidKey("the key probably contains an invalid public key: key is not on the S256 curve");
  }
  return compressed;
}

function coordinate(json: unknown): Uint8Array {
  if (typeof json !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(json))
    throw invalidKey("x and y are hex quantities");
  return fixedBytes(BigInt(json), 32);
}

/** Reads a threshold or weight, from 1 to 2^64-1. */
function integerFromJson(json: unknown, problem: string): bigint {
  const isInteger = typeof json === "bigint" || (typeof json === "number" && Number.isSafeInteger(json));
  const value = isInteger ? BigInt(json) : 0n;
  if (value <= 0n || value >= 1n << 64n) throw invalidKey(problem);
  return value;
}

function listOf(json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw invalidKey("a list is wanted");
  return json;
}

function membersOf(json: unknown): Readonly<Record<string, unknown>> {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw invalidKey("an object is wanted");
  return json as Readonly<Record<string, unknown>>; // an object, as tested
}

function invalidKey(message: string): ModelError {
  return new ModelError("bad-account-key", message);
}
