/** Digest of typed structured data (EIP-712), as `eth_signTypedData_v4` signs it. */
import type { Hash } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { tryBareHex } from "../bytes/hex.ts";
import { keccak256 } from "../crypto/keccak.ts";
import type { Decoder } from "../jsonrpc/codec.ts";
import { invalidParams } from "../jsonrpc/errors.ts";
import { EscapedText, NumberText, plainValue } from "../jsonrpc/json-text.ts";
import {
  arraySchema,
  mapSchema,
  nullableSchema,
  plainSchemas,
  recordSchema,
  type Schema,
  schemaRefs,
} from "../jsonrpc/schemas.ts";

/** A member of a type. */
interface Field {
  readonly name: string;
  readonly type: string;
}

type Types = Readonly<Record<string, readonly Field[]>>;
type Members = Readonly<Record<string, unknown>>;

/** Typed data: the types of the message and of its domain, with their values. */
export interface TypedData {
  readonly types: Types;
  readonly primaryType: string;
  readonly domain: Members;
  readonly message: Members;
}

/** Nested values beyond this depth, further types, and longer names of types are refused. */
const MAX_DEPTH = 64;
const MAX_TYPES = 256;
const MAX_TYPE_NAME = 256;
const WORD = 32;
/** Maximum number of words that are hashed: a few kilobytes of types and lists can name billions of absent members. */
const MAX_WORDS = 2 ** 18;
const DOMAIN = "EIP712Domain";
/** Members of a domain in the order of the standard; a domain without a type has those that it names. */
const DOMAIN_FIELDS: readonly Field[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
  { name: "salt", type: "bytes32" },
];
const utf8 = new TextEncoder();

const { text: textSchema } = plainSchemas;

/** Schema of typed data. A domain with a type of its own may have further members; the types say those of a message. */
const typedDataSchema: Schema = {
  type: "object",
  properties: {
    types: mapSchema("types", arraySchema(recordSchema<Field>({ name: textSchema, type: textSchema }))),
    primaryType: textSchema,
    domain: nullableSchema({
      type: "object",
      properties: {
        name: textSchema,
        version: textSchema,
        chainId: { oneOf: [plainSchemas.integer, textSchema] },
        verifyingContract: schemaRefs.address,
        salt: schemaRefs.hash,
      },
    }),
    message: mapSchema("message", schemaRefs.anyValue),
  },
  required: ["types", "primaryType"],
};

/** Typed data as an object, or as its JSON text. */
export const typedData: Decoder<TypedData> = {
  label: "typed data",
  schema: { oneOf: [typedDataSchema, textSchema] },
  decode(json) {
    const { types, primaryType, domain, message } = membersOf(plainJson(json), "typed data");
    if (typeof primaryType !== "string") throw invalidParams("typed data has no primaryType");
    return {
      types: typesIn(types),
      primaryType,
      domain: membersOf(domain ?? {}, "the domain"),
      message: primaryType === DOMAIN ? {} : membersOf(message, "the message"),
    };
  },
};

/** Returns the digest of typed data. Throws `RpcError` where values do not fit their types. */
export function typedDataDigest({ types, primaryType, domain, message }: TypedData): Hash {
  const own = DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined);
  const all = types[DOMAIN] === undefined ? { ...types, [DOMAIN]: own } : types;
  const scheme = { types: all, hashes: new Map<string, Hash>(), words: 0 };
  const parts: Uint8Array[] = [Uint8Array.of(0x19, 0x01), hashStruct(scheme, DOMAIN, domain, 0)];
  if (primaryType !== DOMAIN) parts.push(hashStruct(scheme, primaryType, message, 0));
  return keccak256(concatBytes(...parts));
}

function plainJson(json: unknown): unknown {
  const value = plainValue(json);
  if (typeof value !== "string") return withoutTexts(value, 0);
  try {
    return JSON.parse(value);
  } catch {
    throw invalidParams("typed data is no JSON");
  }
}

/** Copies a value with its strings and numbers as they are without their raw texts. */
function withoutTexts(value: unknown, depth: number): unknown {
  if (value instanceof EscapedText || value instanceof NumberText) return value.value;
  if (typeof value !== "object" || value === null) return value;
  checkDepth(depth);
  if (Array.isArray(value)) return value.map((each: unknown) => withoutTexts(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withoutTexts(each, depth + 1)]),
  );
}

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw invalidParams(`typed data is nested deeper than ${MAX_DEPTH} levels`);
}

function membersOf(json: unknown, what: string): Members {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw invalidParams(`${what} is no object`);
  return json as Members; // an object of JSON
}

function typesIn(json: unknown): Types {
  const members = Object.entries(membersOf(json, "types"));
  if (members.length > MAX_TYPES) throw invalidParams(`typed data has more than ${MAX_TYPES} types`);
  const entries = members.map(([name, fields]) => {
    if (!Array.isArray(fields)) throw invalidParams(`type ${name} is no list of members`);
    checkTypeName(name);
    return [name, fields.map((field: unknown) => fieldIn(field, name))] as const;
  });
  return Object.fromEntries(entries);
}

function fieldIn(json: unknown, of: string): Field {
  const { name, type } = membersOf(json, `a member of type ${of}`);
  if (typeof name !== "string" || typeof type !== "string")
    throw invalidParams(`a member of type ${of} has no name or no type`);
  checkTypeName(type);
  return { name, type };
}

/** Each value of a type is read by the type's name. */
function checkTypeName(name: string): void {
  if (name.length > MAX_TYPE_NAME)
    throw invalidParams(`the name of a type is longer than ${MAX_TYPE_NAME} characters`);
}

/** The types, with the hashes of those that were needed. */
interface Scheme {
  readonly types: Types;
  readonly hashes: Map<string, Hash>;
  /** Words that were hashed. */
  words: number;
}

function charge(scheme: Scheme, bytes: number): void {
  scheme.words += Math.ceil(bytes / WORD);
  if (scheme.words > MAX_WORDS) throw invalidParams(`typed data has more than ${MAX_WORDS} words to hash`);
}

function hashStruct(scheme: Scheme, name: string, value: Members, depth: number): Hash {
  const { types } = scheme;
  const parts: Uint8Array[] = [typeHash(scheme, name)];
  const fields = fieldsOf(types, name);
  charge(scheme, WORD * (1 + fields.length));
  for (const field of fields) {
    const member = value[field.name];
    const isAbsent = (member === undefined || member === null) && Object.hasOwn(types, field.type);
    parts.push(isAbsent ? new Uint8Array(WORD) : encode(scheme, field.type, member, depth + 1));
  }
  return keccak256(concatBytes(...parts));
}

function typeHash(scheme: Scheme, name: string): Hash {
  const { types, hashes } = scheme;
  const known = hashes.get(name);
  if (known !== undefined) return known;
  const text = utf8.encode(typeText(types, name));
  charge(scheme, text.length);
  const hash = keccak256(text);
  hashes.set(name, hash);
  return hash;
}

function fieldsOf(types: Types, name: string): readonly Field[] {
  const fields = Object.hasOwn(types, name) ? types[name] : undefined;
  if (fields === undefined) throw invalidParams(`no definition of type ${name} specified`);
  return fields;
}

/** Returns a type with those that it refers to, in the order of their names. */
function typeText(types: Types, name: string): string {
  const names = new Set<string>();
  const add = (type: string): void => {
    const base = type.replace(/\[.*$/s, "");
    if (names.has(base) || !Object.hasOwn(types, base)) return;
    names.add(base);
    for (const field of fieldsOf(types, base)) add(field.type);
  };
  add(name);
  names.delete(name);
  return [name, ...[...names].sort()]
    .map(
      (each) =>
        `${each}(${fieldsOf(types, each)
          .map((field) => `${field.type} ${field.name}`)
          .join()})`,
    )
    .join("");
}

/** Returns the word of a value. */
function encode(scheme: Scheme, type: string, value: unknown, depth: number): Uint8Array {
  checkDepth(depth);
  const array = /^(.*)\[(\d*)\]$/s.exec(type);
  if (array !== null) {
    const [, item = "", length = ""] = array;
    if (!Array.isArray(value) || (length !== "" && Number(length) !== value.length))
      throw invalidParams(`a value of type ${type} is no list of its length`);
    charge(scheme, WORD * value.length);
    return keccak256(concatBytes(...value.map((each: unknown) => encode(scheme, item, each, depth + 1))));
  }
  if (Object.hasOwn(scheme.types, type))
    return hashStruct(scheme, type, membersOf(value, `a value of ${type}`), depth);
  return encodeAtom(type, value);
}

function encodeAtom(type: string, value: unknown): Uint8Array {
  if (type === "string" && typeof value === "string") return keccak256(utf8.encode(value));
  if (type === "bytes") return keccak256(bytesIn(type, value));
  if (type === "bool" && typeof value === "boolean") return wordOf(value ? 1n : 0n);
  if (type === "address")
    return wordOf(BigInt(`0x${Buffer.from(exactBytes(type, value, 20)).toString("hex")}`));
  const bytes = /^bytes(\d+)$/.exec(type);
  if (bytes !== null) return leftAligned(exactBytes(type, value, Number(bytes[1])));
  const integer = /^(u?)int(\d*)$/.exec(type);
  if (integer !== null) return encodeInteger(type, value, Number(integer[2] || 256));
  throw invalidParams(`a value does not fit the type ${type}`);
}

function encodeInteger(type: string, value: unknown, bits: number): Uint8Array {
  const number = integerIn(type, value);
  const fits =
    bits <= 256 &&
    (type.startsWith("u") ? BigInt.asUintN(bits, number) === number : BigInt.asIntN(bits, number) === number);
  if (!fits) throw invalidParams(`an integer does not fit the type ${type}`);
  return wordOf(BigInt.asUintN(256, number));
}

function integerIn(type: string, value: unknown): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "string" && /^(-?\d{1,80}|0x[0-9a-f]{1,64})$/i.test(value)) return BigInt(value);
  throw invalidParams(`a value does not fit the type ${type}`);
}

function bytesIn(type: string, value: unknown): Uint8Array {
  const bytes = typeof value === "string" && /^0x/i.test(value) ? tryBareHex(value.slice(2)) : undefined;
  if (bytes === undefined) throw invalidParams(`a value does not fit the type ${type}`);
  return bytes;
}

function exactBytes(type: string, value: unknown, length: number): Uint8Array {
  const bytes = bytesIn(type, value);
  if (bytes.length !== length || length > WORD) throw invalidParams(`a value does not fit the type ${type}`);
  return bytes;
}

function leftAligned(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD);
  word.set(bytes);
  return word;
}

function wordOf(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * WORD, "0"), "hex");
}
