/** Codecs for plain JSON: booleans, texts, numbers. JSON null is the zero value, as in Go. */
import { type Codec, CodecError, type Encoder, mismatch, wrongKind } from "../codec.ts";
import { EscapedText, goJson, goText } from "../json-text.ts";
import { objectSchema, type Schema } from "../schemas.ts";

/** `true` or `false`. */
export const boolean: Codec<boolean> = {
  label: "boolean",
  schema: { type: "boolean" },
  decode(json) {
    if (typeof json === "boolean") return json;
    if (json === null) return false;
    throw wrongKind(json, "bool");
  },
  encode: (value) => (value ? "true" : "false"),
};

/** Any text. */
export const text: Codec<string> = textOf("text", "string");

/** What a subscription or a filter is called. */
export const identifier: Codec<string> = textOf("id", "rpc.ID");

function textOf(label: string, goType: string): Codec<string> {
  return {
    label,
    schema: { type: "string" },
    decode(json) {
      if (typeof json === "string") return json;
      if (json instanceof EscapedText) return json.value;
      if (json === null) return "";
      throw wrongKind(json, goType);
    },
    encode: goText,
  };
}

/** A whole number within `[min, max]`, written as a JSON number. */
export function integer(goType: string, min: number, max: number): Codec<number> {
  return {
    label: "integer",
    schema: { type: "integer" },
    decode(json) {
      if (json === null) return 0;
      if (typeof json !== "number") throw wrongKind(json, goType);
      if (!Number.isInteger(json) || json < min || json > max) throw mismatch(`number ${json}`, goType);
      return json;
    },
    encode: (value) => `${value}`,
  };
}

/** An unsigned count; above 2^53 it is only compared, never stored. */
export const count: Codec<number> = integer("uint64", 0, 2 ** 64);

/** Any number. */
export const float: Codec<number> = {
  label: "number",
  schema: { type: "number" },
  decode(json) {
    if (json === null) return 0;
    if (typeof json !== "number") throw wrongKind(json, "float64");
    return json;
  },
  encode: goJson,
};

/** Nothing: the method answers null. */
export const nothing: Encoder<undefined> = { label: "null", schema: { type: "null" }, encode: () => "null" };

/** A plain object or list that holds no bigint and no bytes. */
export function plain<T>(label: string, schema: Schema = objectSchema(label)): Encoder<T> {
  return { label, schema, encode: goJson };
}

/** JSON text that a view has already written. */
export const written: Encoder<string> = {
  label: "object",
  schema: { type: "object" },
  encode: (json) => json,
};

/** Written JSON text with another label for the documentation. */
export function writtenAs(label: string, schema: Schema = objectSchema(label)): Encoder<string> {
  return { label, schema, encode: (json) => json };
}

/** A codec error with words of its own. */
export function refuse(message: string): never {
  throw new CodecError(message);
}
