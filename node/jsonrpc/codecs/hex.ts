/**
 * Hex codecs: data, addresses, hashes and quantities, with the error texts of the Go node
 * (`common/hexutil/hexutil.go@v2.2.2`).
 */
import type { Address, Hash, StorageKey } from "../../bytes/brands.ts";
import { digitBytes, shortBytes, toHex } from "../../bytes/hex.ts";
import { type Codec, CodecError, type Decoder, type Encoder, mismatch, wrongKind } from "../codec.ts";
import { EscapedText, NumberText } from "../json-text.ts";
import { arraySchema, nullableSchema, schemaRefs } from "../schemas.ts";

const HEX = /^[0-9a-fA-F]*$/;

/** The error of text that is not valid hex; the message is that of the Go node's `hexutil`. */
export class HexFault extends Error {
  override readonly name = "HexFault";
}

/** Bytes of any length: `0x` and an even number of digits. The empty string decodes as no bytes. */
export const data: Codec<Uint8Array> = {
  label: "data",
  schema: schemaRefs.data,
  decode(json) {
    const digits = goChecked(json, "hexutil.Bytes", evenDigits);
    const bytes = digitBytes(digits);
    if (bytes === undefined) throw mismatch("invalid hex string", "hexutil.Bytes");
    return bytes;
  },
  encode: (bytes) => `"${toHex(bytes)}"`,
};

/** 20 bytes. */
export const address: Codec<Address> = fixedData("address", "common.Address", 20);
/** 32 bytes. */
export const hash: Codec<Hash> = fixedData("hash", "common.Hash", 32);
/** 32 bytes, written as a hash. */
export const storageKey: Codec<StorageKey> = fixedData("hash", "common.Hash", 32);

function fixedData(label: "address" | "hash", goType: string, length: number): Codec<Uint8Array> {
  return {
    label,
    schema: schemaRefs[label],
    decode(json) {
      const plain = typeof json === "string" ? fixedBytes(json, length) : undefined;
      if (plain !== undefined) return plain;
      const digits = goChecked(json, goType, evenDigits);
      if (digits.length !== length * 2) {
        throw new CodecError(`hex string has length ${digits.length}, want ${length * 2} for ${goType}`);
      }
      const bytes = digitBytes(digits);
      if (bytes === undefined) throw mismatch("invalid hex string", goType);
      return bytes;
    },
    encode: (bytes) => `"${toHex(bytes)}"`,
  };
}

/** Returns the bytes of well-formed text of the right length; undefined for any other text. */
function fixedBytes(text: string, length: number): Uint8Array | undefined {
  const isPlain = text.length === 2 + 2 * length && text.startsWith("0x");
  return isPlain ? shortBytes(text, 2, length) : undefined;
}

/** An unsigned integer of up to 256 bits. */
export const quantity: Codec<bigint> = {
  label: "quantity",
  schema: schemaRefs.quantity,
  decode: (json) => goChecked(json, "*hexutil.Big", (text) => BigInt(`0x${quantityDigits(text, 256)}`)),
  encode: (value) => `"0x${value.toString(16)}"`,
};

/**
 * An unsigned integer of up to 256 bits for fields that are `uint256.Int` in the Go node, whose error texts
 * name that type.
 */
export const quantity256: Codec<bigint> = {
  label: "quantity",
  schema: schemaRefs.quantity,
  decode: (json) => goChecked(json, "*uint256.Int", (text) => BigInt(`0x${quantityDigits(text, 256)}`)),
  encode: (value) => quantity.encode(value),
};

/** An unsigned integer of up to 64 bits. */
export const quantity64: Codec<bigint> = {
  label: "quantity",
  schema: schemaRefs.quantity,
  decode: (json) => goChecked(json, "hexutil.Uint64", (text) => BigInt(`0x${quantityDigits(text, 64)}`)),
  encode: (value) => `"0x${value.toString(16)}"`,
};

/** A block number, a count or a time, as a quantity. */
export const numberQuantity: Codec<number> = {
  label: "quantity",
  schema: schemaRefs.quantity,
  decode: (json) => Number(quantity64.decode(json)),
  encode: (value) => `"0x${value.toString(16)}"`,
};

/** An index, as a quantity. */
export const indexQuantity: Codec<number> = {
  label: "quantity",
  schema: schemaRefs.quantity,
  decode: (json) =>
    Number(goChecked(json, "hexutil.Uint", (text) => BigInt(`0x${quantityDigits(text, 64)}`))),
  encode: (value) => numberQuantity.encode(value),
};

/** Builds the codec of a list. */
export function listOf<T>(item: Codec<T>, goType: string): Codec<readonly T[]> {
  return {
    label: `${item.label}[]`,
    schema: arraySchema(item.schema),
    decode(json) {
      if (json === null || json === undefined) return [];
      if (!Array.isArray(json)) throw wrongKind(json, goType);
      return json.map((value) => item.decode(value));
    },
    encode: (values) => `[${values.map((value) => item.encode(value)).join(",")}]`,
  };
}

/** Builds the encoder of a value that may be undefined, written as null. */
export function nullable<T>(codec: Encoder<T>): Encoder<T | undefined> {
  return {
    label: `${codec.label} or null`,
    schema: nullableSchema(codec.schema),
    encode: (value) => (value === undefined ? "null" : codec.encode(value)),
  };
}

/** Returns the digits of a quantity; 0 for the empty string, as the Go node's JSON. Throws `HexFault`. */
function quantityDigits(text: string, bits: 64 | 256): string {
  if (text.length === 0) return "0";
  const digits = wholeDigits(text);
  if (digits.length > bits / 4) throw new HexFault(`hex number > ${bits} bits`);
  if (!HEX.test(digits)) throw new HexFault("invalid hex string");
  return digits;
}

/**
 * Decodes a quantity of up to 64 bits as the Go node, which reads digit by digit until the number is too large.
 * Throws `HexFault`.
 */
export function decodeUint64(text: string): bigint {
  if (text.length === 0) throw new HexFault("empty hex string");
  const digits = wholeDigits(text);
  if (!HEX.test(digits.slice(0, UINT64_DIGITS + 1))) throw new HexFault("invalid hex string");
  if (digits.length > UINT64_DIGITS) throw new HexFault("hex number > 64 bits");
  return BigInt(`0x${digits}`);
}

const UINT64_DIGITS = 16;

/** Returns the digits of a number's text without their check. Throws `HexFault`. */
function wholeDigits(text: string): string {
  if (!hasPrefix(text)) throw new HexFault("hex string without 0x prefix");
  const digits = text.slice(2);
  if (digits.length === 0) throw new HexFault('hex string "0x"');
  if (digits.length > 1 && digits.startsWith("0")) throw new HexFault("hex number with leading zero digits");
  return digits;
}

/**
 * Decodes hex of an exact length, where the Go type has no JSON decoder of its own. Throws
 * `CodecError`.
 */
export function fixedText(text: string, goType: string, length: number): Uint8Array {
  const digits = withoutFault(() => evenDigits(text));
  if (digits.length !== 2 * length) {
    throw new CodecError(`hex string has length ${digits.length}, want ${2 * length} for ${goType}`);
  }
  const bytes = digitBytes(digits);
  if (bytes === undefined) throw new CodecError("invalid hex string");
  return bytes;
}

/** Runs a decoder; the message of its `HexFault` becomes that of a `CodecError`. */
export function withoutFault<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof HexFault ? new CodecError(error.message) : error;
  }
}

/** Returns the digits of `0x` text; none for the empty string. Throws `HexFault`. */
function evenDigits(text: string): string {
  if (text.length === 0) return "";
  if (!hasPrefix(text)) throw new HexFault("hex string without 0x prefix");
  if (text.length % 2 !== 0) throw new HexFault("hex string of odd length");
  return text.slice(2);
}

function hasPrefix(text: string): boolean {
  const x = text.charCodeAt(1);
  return text.charCodeAt(0) === 0x30 && (x === 0x78 || x === 0x58);
}

function goChecked<T>(json: unknown, goType: string, read: (text: string) => T): T {
  const text = json instanceof EscapedText ? json.raw : json;
  if (typeof text !== "string") throw mismatch("non-string", goType);
  try {
    return read(text);
  } catch (error) {
    throw error instanceof HexFault ? mismatch(error.message, goType) : error;
  }
}

/** Any JSON but numbers beyond a `float64`, not decoded: for parameters whose check depends on other state. */
export const anything: Decoder<unknown> = {
  label: "any",
  schema: {},
  decode(json) {
    if (json instanceof NumberText && !Number.isFinite(json.value))
      throw mismatch(`number ${json.raw}`, "float64");
    return json;
  },
};
