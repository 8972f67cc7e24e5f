/**
 * An object as it is held. Thousands are, and few are looked at twice: each is kept as one JSON text, which takes a
 * quarter of what its parts would and is read again when they are wanted.
 */
import { FIELD_MANAGER, GROUP } from "../api/names.ts";
import { type ObjectMeta, readMeta } from "../api/resource.ts";

/** An object as it was read, and what all objects have of it. */
export interface Seen {
  readonly meta: ObjectMeta;
  readonly object: unknown;
}

/** Longer texts than this among labels and annotations are in the object alone. */
const LONG = 256;

/** Holds an object of the API server's. Throws `ApiError` when it is none. */
export function hold(object: unknown): Seen {
  const meta = briefMeta(object);
  return new Held(meta, JSON.stringify(withOwnWriter(object as Record<string, unknown>))); // it has metadata
}

/** Holds what `pick` takes of an object, as it is: for what is looked at again and again. */
export function holdPart(object: unknown, pick: (object: unknown) => unknown): Seen {
  return { meta: briefMeta(object), object: pick(object) };
}

/** With those labels and annotations of the operator's own group alone: the others' fill memory. */
function briefMeta(object: unknown): ObjectMeta {
  const meta = readMeta(object);
  return { ...meta, labels: brief(meta.labels), annotations: brief(meta.annotations) };
}

class Held implements Seen {
  readonly meta: ObjectMeta;
  readonly #text: string;

  constructor(meta: ObjectMeta, text: string) {
    this.meta = meta;
    this.#text = text;
  }

  get object(): unknown {
    return JSON.parse(this.#text);
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
