/**
 * Codecs turn JSON into values of the domain and back, with the Go node's error texts. Parameters have
 * decoders, results have encoders that write JSON text directly. Each carries its own JSON schema.
 */
import { jsonKind } from "./json-text.ts";
import { objectSchema, type Schema } from "./schemas.ts";

/** Reads JSON; throws `CodecError`. */
export interface Decoder<T> {
  /** A short name for documentation, such as `quantity` or `address`. */
  readonly label: string;
  readonly schema: Schema;
  /** Decodes one value. It is `undefined` only for a parameter with `isOptional` that is absent. */
  decode(json: unknown): T;
  /** True for a parameter that may be absent or null. */
  readonly isOptional?: boolean;
}

/** Writes JSON text. */
export interface Encoder<T> {
  /** A short name for documentation. */
  readonly label: string;
  readonly schema: Schema;
  encode(value: T): string;
}

/** A codec in both directions. */
export interface Codec<T> extends Decoder<T>, Encoder<T> {}

/**
 * The error of a value that does not fit its parameter. An argument object around the value builds its own
 * text from `mismatch`.
 */
export class CodecError extends Error {
  override readonly name = "CodecError";
  readonly mismatch: TypeMismatch | undefined;
  /** True for an error that Go's decoder keeps while it goes on: a later one of a type with its own decoder wins. */
  readonly isKept: boolean;
  constructor(message: string, found?: TypeMismatch, isKept = false) {
    super(message);
    this.mismatch = found;
    this.isKept = isKept;
  }
}

/** The JSON kind of a value and the Go type that was expected. */
export interface TypeMismatch {
  readonly found: string;
  readonly goType: string;
  /** Path from the field to the value inside it, such as `.nonce`. */
  readonly path?: string;
}

/** Returns the error `json: cannot unmarshal <found> into Go value of type <goType>`. */
export function mismatch(found: string, goType: string): CodecError {
  return new CodecError(`json: cannot unmarshal ${found} into Go value of type ${goType}`, { found, goType });
}

/** Returns the same error for a Go type without a decoder of its own, which Go's decoder keeps while it goes on. */
export function laterMismatch(found: string, goType: string): CodecError {
  const message = `json: cannot unmarshal ${found} into Go value of type ${goType}`;
  return new CodecError(message, { found, goType }, true);
}

/** Returns the same error for the JSON kind of a value. */
export function wrongKind(json: unknown, goType: string): CodecError {
  return laterMismatch(jsonKind(json), goType);
}

/** The first error that Go's decoder keeps in an object or map, which it reports behind the last member. */
export class KeptError {
  #first: CodecError | undefined;

  /** Decodes a member; undefined when its error is kept. Throws every other error. */
  decode<T>(decode: () => T): T | undefined {
    try {
      return decode();
    } catch (error) {
      if (!(error instanceof CodecError) || !error.isKept) throw error;
      this.#first ??= error;
      return undefined;
    }
  }

  /** Throws the kept error, if there is one. */
  end(): void {
    if (this.#first !== undefined) throw this.#first;
  }
}

/** Makes a parameter optional: `fallback` is its value when it is absent or null. */
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
  /** Name in JSON. */
  readonly key: string;
}

/** The decoded values of a record of decoders. */
export type Decoded<D> = { readonly [K in keyof D]: D[K] extends Decoder<infer T> ? T : never };

/**
 * Builds the decoder of an argument object. Every field may be absent or null, which decodes as undefined.
 * Unknown keys are ignored. Keys match without regard to case unless there is an exact match. `goType` is the
 * name of the Go struct in error texts, such as `api.SendTxArgs`; `goNames` are those of fields that the texts do not
 * call by their key.
 */
export function object<D extends Readonly<Record<string, Decoder<unknown>>>>(
  label: string,
  goType: string,
  fields: D,
  goNames: Readonly<Record<string, string>> = {},
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
      const kept = new KeptError();
      for (const [written, value] of Object.entries(json as Record<string, unknown>)) {
        const key = Object.hasOwn(fields, written) ? written : byFolded.get(written.toLowerCase());
        const codec = key === undefined ? undefined : fields[key];
        if (key === undefined || codec === undefined || value === null) continue;
        values[key] = kept.decode(() => inField(codec, value, `${struct}.${goNames[key] ?? key}`));
      }
      kept.end();
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
    const message = `json: cannot unmarshal ${found} into Go struct field ${field}${path} of type ${goType}`;
    throw new CodecError(message, undefined, error.isKept);
  }
}

/**
 * Builds the decoder of an object whose fields are all required, as with gencodec's `required` tag. The error
 * of a missing field names it. The argument object around it builds the error text of a wrong kind, with the
 * path to the field.
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
      if (json !== null && jsonKind(json) !== "object") throw mismatch(jsonKind(json), goType);
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
