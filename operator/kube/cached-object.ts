/**
 * Objects in the cache. Each is compressed JSON with the first object of its kind as the dictionary, which
 * takes a hundredth of the memory of parsed objects, and is parsed on access.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { FIELD_MANAGER, GROUP } from "../api/names.ts";
import { type ObjectMeta, readMeta } from "../api/resource.ts";

/** A cached object with its metadata. */
export interface CachedObject {
  readonly meta: ObjectMeta;
  readonly object: unknown;
}

/** Maximum length of labels and annotations in `meta`; longer ones are in `object` only. */
const LONG = 256;

/** Compression for similar texts of a few kB: a window of 16 kB, and chunks of the usual result size. */
const PACKING = { windowBits: 14, memLevel: 7, chunkSize: 2_048 } as const;
const MAX_DICTIONARY = 16 * 1024;

/**
 * Creates a function that compresses objects of one kind. It throws `ApiError` for anything that is not an
 * object of the API server.
 */
export function createObjectPacker(): (object: unknown) => CachedObject {
  let dictionary: Uint8Array | undefined;
  return (object) => {
    const meta = briefMeta(object);
    const text = Buffer.from(JSON.stringify(withOwnWriter(object as Record<string, unknown>))); // it has metadata
    dictionary ??= new Uint8Array(text.subarray(0, MAX_DICTIONARY)); // a buffer would keep the 64 kB it is cut from
    return new Held(meta, text, dictionary);
  };
}

/** Caches a projection of an object uncompressed, for objects that are accessed often. */
export function projectObject(object: unknown, pick: (object: unknown) => unknown): CachedObject {
  return { meta: briefMeta(object), object: pick(object) };
}

/** Reads metadata with labels and annotations of the operator's own group only, to save memory. */
function briefMeta(object: unknown): ObjectMeta {
  const meta = readMeta(object);
  return { ...meta, labels: brief(meta.labels), annotations: brief(meta.annotations) };
}

class Held implements CachedObject {
  readonly meta: ObjectMeta;
  /** Compressed bytes, one per character; a buffer would take twice the memory. */
  readonly #packed: string;
  readonly #dictionary: Uint8Array;

  constructor(meta: ObjectMeta, text: Buffer, dictionary: Uint8Array) {
    this.meta = meta;
    this.#dictionary = dictionary;
    this.#packed = deflateRawSync(text, { ...PACKING, dictionary }).toString("latin1");
  }

  get object(): unknown {
    const packed = Buffer.from(this.#packed, "latin1");
    return JSON.parse(inflateRawSync(packed, { ...PACKING, dictionary: this.#dictionary }).toString());
  }
}

function brief(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).filter(([name, text]) => name.startsWith(`${GROUP}/`) && text.length <= LONG),
  );
}

/** Reduces managedFields to the operator's own entry. They are half of an object's size. */
function withOwnWriter(object: Record<string, unknown>): unknown {
  const { managedFields, ...metadata } = object["metadata"] as Record<string, unknown>; // it was just read
  if (!Array.isArray(managedFields)) return object;
  const isOwn = managedFields.some((each: { manager?: unknown } | null) => each?.manager === FIELD_MANAGER);
  return { ...object, metadata: { ...metadata, managedFields: isOwn ? [{ manager: FIELD_MANAGER }] : [] } };
}
