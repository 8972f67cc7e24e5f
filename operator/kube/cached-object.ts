/**
 * An object as it is held. Thousands are, and few are looked at twice: each is kept as JSON that is packed with the first
 * of its kind as the dictionary, which takes a hundredth of what its parts would, and is read again when they are wanted.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { FIELD_MANAGER, GROUP } from "../api/names.ts";
import { type ObjectMeta, readMeta } from "../api/resource.ts";

/** An object as it was read, and what all objects have of it. */
export interface CachedObject {
  readonly meta: ObjectMeta;
  readonly object: unknown;
}

/** Longer texts than this among labels and annotations are in the object alone. */
const LONG = 256;

/** A window of 16 kB, for texts of a few kB that are much alike; chunks of what one becomes, not of the usual 16 kB. */
const PACKING = { windowBits: 14, memLevel: 7, chunkSize: 2_048 } as const;
const MAX_DICTIONARY = 16 * 1024;

/** Gives what holds objects of one kind; that throws `ApiError` for what is no object of the API server's. */
export function createObjectPacker(): (object: unknown) => CachedObject {
  let dictionary: Uint8Array | undefined;
  return (object) => {
    const meta = briefMeta(object);
    const text = Buffer.from(JSON.stringify(withOwnWriter(object as Record<string, unknown>))); // it has metadata
    dictionary ??= new Uint8Array(text.subarray(0, MAX_DICTIONARY)); // a buffer would keep the 64 kB it is cut from
    return new Held(meta, text, dictionary);
  };
}

/** Holds what `pick` takes of an object, as it is: for what is looked at again and again. */
export function projectObject(object: unknown, pick: (object: unknown) => unknown): CachedObject {
  return { meta: briefMeta(object), object: pick(object) };
}

/** With those labels and annotations of the operator's own group alone: the others' fill memory. */
function briefMeta(object: unknown): ObjectMeta {
  const meta = readMeta(object);
  return { ...meta, labels: brief(meta.labels), annotations: brief(meta.annotations) };
}

class Held implements CachedObject {
  readonly meta: ObjectMeta;
  /** A character a byte: a buffer of its own would take as much again. */
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

/** That the operator wrote of it is of use; who wrote which fields is not, and is half of what an object takes. */
function withOwnWriter(object: Record<string, unknown>): unknown {
  const { managedFields, ...metadata } = object["metadata"] as Record<string, unknown>; // it was just read
  if (!Array.isArray(managedFields)) return object;
  const isOwn = managedFields.some((each: { manager?: unknown } | null) => each?.manager === FIELD_MANAGER);
  return { ...object, metadata: { ...metadata, managedFields: isOwn ? [{ manager: FIELD_MANAGER }] : [] } };
}
