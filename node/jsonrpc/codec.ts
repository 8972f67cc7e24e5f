/**
 * A codec turns JSON into a value of the domain and back. Decoding errors carry the Go node's words. Parameters are
 * decoders with a name for the documentation; results are encoders that write JSON text directly.
 */
import { jsonKind } from "./json-text.ts";
import { objectSchema, type Schema } from "./schemas.ts";

/** Reads JSON; throws `CodecError`. */
export interface Decoder<T> {
  /** A short name for documentation, such as `quantity` or `address`. */
  readonly label: string;
  readonly schema: Schema;
  /** Given undefined only by `optional` codecs' caller, for a parameter left out at the end. */
  decode(json: unknown): T;
  /** Set on a parameter that may be left out or null. */
  readonly isOptional?: boolean;
}

/** Writes JSON text. */
export interface Encoder<T> {
  /** A short name for documentation. */
  readonly label: string;
  readonly schema: Schema;
  encode(value: T): string;
}

/** Both directions. */
export interface Codec<T> extends Decoder<T>, Encoder<T> {}

/** Why a value is not what a parameter wants. `mismatch` words it again when it stands inside an object. */
export class CodecError extends Error {
  override readonly name = "CodecError";
  readonly mismatch: TypeMismatch | undefined;
  constructor(message: string, found?: TypeMismatch) {
    super(message);
    this.mismatch = found;
  }
}

/** What was found and the Go type that was wanted. */
export interface TypeMismatch {
  readonly found: string;
  readonly goType: string;
  /** Members on the way to the value from the field that it is in, such as `.nonce`. */
  readonly path?: string;
}

/** The error for JSON of the wrong kind: `json: cannot unmarshal <found> into Go value of type <goType>`. */
export function mismatch(found: string, goType: string): CodecError {
  return new CodecError(`json: cannot unmarshal ${found} into Go value of type ${goType}`, { found, goType });
}

/** The same for a value whose JSON kind is wrong. */
export function wrongKind(json: unknown, goType: string): CodecError {
  return mismatch(jsonKind(json), goType);
}

/** A parameter that may be left out or null; `fallback` stands in for it. */
export function optional<T>(codec: Decoder<T>): Decoder<T | undefined>;
export function optional<T, F>(codec: Decoder<T>, fallback: F): Decoder<T | F>;
export function optional<T>(codec: Decoder<T>, fallback?: unknown): Decoder<unknown> {
  return {
    label: `${codec.label}?`,
    isOptional: true,
    schema: codec.schema,
    decode: (json) => (json === undefined || json === null ? fallback : codec.decode(json)),
  };
}

/** One field of an argument object. */
export interface Field<T> {
  readonly codec: Decoder<T>;
  /** Its name in JSON. */
  readonly key: string;
}

/** The values of a record of decoders. */
export type Decoded<D> = { readonly [K in keyof D]: D[K] extends Decoder<infer T> ? T : never };

/**
 * An argument object: every field may be absent or null, which decodes as undefined; unknown keys are ignored; keys
 * match without regard to case when no exact key is there. `goType` is the struct's name in error texts, such as
 * `api.SendTxArgs`.
 */
export function object<D extends Readonly<Record<string, Decoder<unknown>>>>(
  label: string,
  goType: string,
  fields: D,
): Decoder<Partial<Decoded<D>>> {
  const byFolded = new Map(Object.keys(fields).map((key) => [key.toLowerCase(), key]));
  const struct = goType.slice(goType.lastIndexOf(".") + 1);
  return {
    label,
    schema: objectSchema(label, fields),
    decode(json) {
      if (json === null || json === undefined) return {};
      if (jsonKind(json) !== "object") throw wrongKind(json, goType);
      const values: Record<string, unknown> = {};
      for (const [written, value] of Object.entries(json as Record<string, unknown>)) {
        const key = Object.hasOwn(fields, written) ? written : byFolded.get(written.toLowerCase());
        const codec = key === undefined ? undefined : fields[key];
        if (key === undefined || codec === undefined || value === null) continue;
        values[key] = inField(codec, value, `${struct}.${key}`);
      }
      return values as Partial<Decoded<D>>; // each value came from the codec of its key
    },
  };
}

function inField(codec: Decoder<unknown>, json: unknown, field: string): unknown {
  try {
    return codec.decode(json);
  } catch (error) {
    if (!(error instanceof CodecError) || error.mismatch === undefined) throw error;
    const { found, goType, path = "" } = error.mismatch;
    const place = `${field}${path}`;
    throw new CodecError(`json: cannot unmarshal ${found} into Go struct field ${place} of type ${goType}`);
  }
}

/**
 * An object in a list, every field of which has to be there, as gencodec's `required` asks: an absent or null one is
 * refused by name. A value of the wrong kind is worded by the argument object around it, with the path to the field.
 */
export function requiredObject<D extends Readonly<Record<string, Decoder<unknown>>>>(
  label: string,
  goType: string,
  fields: D,
): Decoder<Decoded<D>> {
  const byFolded = new Map(Object.keys(fields).map((key) => [key.toLowerCase(), key]));
  const struct = goType.slice(goType.lastIndexOf(".") + 1);
  return {
    label,
    schema: { ...objectSchema(label, fields), required: Object.keys(fields) },
    decode(json) {
      if (json !== null && jsonKind(json) !== "object") throw wrongKind(json, goType);
      const values: Record<string, unknown> = {};
      for (const [written, value] of Object.entries((json ?? {}) as Record<string, unknown>)) {
        const key = Object.hasOwn(fields, written) ? written : byFolded.get(written.toLowerCase());
        const codec = key === undefined ? undefined : fields[key];
        if (key === undefined || codec === undefined || value === null) continue;
        values[key] = onPath(codec, value, `.${key}`);
      }
      const missing = Object.keys(fields).find((key) => values[key] === undefined);
      if (missing !== undefined) throw new CodecError(`missing required field '${missing}' for ${struct}`);
      return values as Decoded<D>; // all keys are there, each value from the codec of its key
    },
  };
}

function onPath(codec: Decoder<unknown>, json: unknown, path: string): unknown {
  try {
    return codec.decode(json);
  } catch (error) {
    if (!(error instanceof CodecError) || error.mismatch === undefined) throw error;
    throw new CodecError(error.message, { ...error.mismatch, path });
  }
}
