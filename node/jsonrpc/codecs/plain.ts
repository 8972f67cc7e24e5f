/** Codecs of plain JSON: booleans, texts and numbers. JSON null decodes as the zero value, as in Go. */
import { MAX_UINT64 } from "../../bytes/integer.ts";
import { type Codec, CodecError, type Encoder, laterMismatch, wrongKind } from "../codec.ts";
import { EscapedText, goJson, goText, NumberText } from "../json-text.ts";
import { plainSchemas, type Schema } from "../schemas.ts";

/** `true` or `false`. */
export const boolean: Codec<boolean> = {
  label: "boolean",
  schema: plainSchemas.boolean,
  decode(json) {
    if (typeof json === "boolean") return json;
    if (json === null) return false;
    throw wrongKind(json, "bool");
  },
  encode: (value) => (value ? "true" : "false"),
};

/** Any text. */
export const text: Codec<string> = textOf("text", "string");

/** The id of a subscription or of a filter. */
export const identifier: Codec<string> = textOf("id", "rpc.ID");

function textOf(label: string, goType: string): Codec<string> {
  return {
    label,
    schema: plainSchemas.text,
    decode(json) {
      if (typeof json === "string") return json;
      if (json instanceof EscapedText) return json.value.toWellFormed(); // Go has no half of a surrogate pair
      if (json === null) return "";
      throw wrongKind(json, goType);
    },
    encode: goText,
  };
}

/** Builds the codec of an integer within `[min, max]`, written as a JSON number. Above 2^53 it loses digits. */
export function integer(goType: string, min: number | bigint, max: number | bigint): Codec<number> {
  return {
    label: "integer",
    schema: plainSchemas.integer,
    decode(json) {
      if (json === null) return 0;
      const isWritten = json instanceof NumberText;
      const value = isWritten ? json.value : json;
      if (typeof value !== "number") throw wrongKind(json, goType);
      const isInteger = isWritten ? (min < 0 ? SIGNED : UNSIGNED).test(json.raw) : Number.isInteger(value);
      if (!isInteger || !isBetween(isWritten ? json : value, { min, max }))
        throw numberMismatch(json, goType);
      return value === 0 ? 0 : value; // Go's integers have no minus zero
    },
    encode: (value) => `${value}`,
  };
}

/** Compares the digits of a number only when it is near: they may be very many. */
function isBetween(
  json: number | NumberText,
  { min, max }: { readonly min: number | bigint; readonly max: number | bigint },
): boolean {
  const value = typeof json === "number" ? json : json.value;
  if (value < Number(min) || value > Number(max)) return false;
  const exact = typeof json === "number" ? json : BigInt(json.raw);
  return exact >= min && exact <= max;
}

const SIGNED = /^-?\d+$/;
const UNSIGNED = /^\d+$/;

/** An unsigned integer. Above 2^53 it loses digits: such values may be compared, never stored. */
export const count: Codec<number> = integer("uint64", 0, MAX_UINT64);
/** A signed integer, likewise. */
export const signed: Codec<number> = integer("int", -(1n << 63n), (1n << 63n) - 1n);

/** Any number. */
export const float: Codec<number> = {
  label: "number",
  schema: plainSchemas.number,
  decode(json) {
    if (json === null) return 0;
    const value = json instanceof NumberText ? json.value : json;
    if (typeof value !== "number") throw wrongKind(json, "float64");
    if (!Number.isFinite(value)) throw numberMismatch(json, "float64");
    return value;
  },
  encode: goJson,
};

/** Returns the error of a number that its Go type cannot hold; the decoder goes on behind it. */
function numberMismatch(json: unknown, goType: string): CodecError {
  const written = json instanceof NumberText ? json.raw : String(json);
  return laterMismatch(`number ${written}`, goType);
}

/** No result: the method answers null. */
export const nothing: Encoder<undefined> = {
  label: "null",
  schema: plainSchemas.nothing,
  encode: () => "null",
};

/** Builds the encoder of plain JSON without bigints and bytes. */
export function plain<T>(label: string, schema: Schema): Encoder<T> {
  return { label, schema, encode: goJson };
}

/** Builds the encoder of a result that is JSON text already. */
export function writtenAs(label: string, schema: Schema): Encoder<string> {
  return { label, schema, encode: (json) => json };
}

/** Throws a `CodecError` with this message. */
export function refuseArgument(message: string): never {
  throw new CodecError(message);
}
