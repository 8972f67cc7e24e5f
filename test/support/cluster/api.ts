/**
 * The API server of random histories, in memory: versions, generations, finalizers and owner references as the real one
 * keeps them. Every write of an object is a new value and an event, so that watches can lag behind.
 */
import type { Draft } from "../../../operator/api/resource.ts";
import { KubeError } from "../../../operator/kube/error.ts";

/** Metadata of a stored object. */
export interface StoredMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly { readonly uid: string }[] | undefined;
  readonly managedFields?: readonly { readonly manager: string }[] | undefined;
}

/** A stored object. It is never changed, only replaced. */
export interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
  readonly [field: string]: unknown;
}

/** An event of a watch. */
export interface Change {
  readonly key: string;
  readonly object: Stored | undefined;
  /** Time of the write, milliseconds. */
  readonly at: number;
}

/** A patch: fields of an object, and of its metadata. */
export interface Patch {
  readonly metadata?: Partial<StoredMeta>;
  readonly [field: string]: unknown;
}

/** The API server. */
export class ClusterApi {
  readonly objects = new Map<string, Stored>();
  readonly #changes = new Map<string, Change[]>();
  readonly #now: () => number;
  #version = 0;
  #uid = 0;

  /** `now` is the time that no jump of a clock changes. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns an object by its kind and `namespace/name`. */
  find(kind: string, key: string): Stored | undefined {
    return this.objects.get(`${kind} ${key}`);
  }

  /** Lists the objects of a kind. */
  list(kind: string): readonly Stored[] {
    return [...this.objects.values()].filter((object) => object.kind === kind);
  }

  /** Returns the events of a kind since the beginning. */
  changes(kind: string): readonly Change[] {
    return this.#changes.get(kind) ?? [];
  }

  /** Creates an object. Throws `KubeError` when it exists. */
  create(draft: Draft, manager: string): Stored {
    const { name, namespace } = draft.metadata;
    if (this.find(draft.kind, `${namespace}/${name}`) !== undefined)
      throw new KubeError("already-exists", `${draft.kind} ${name} exists`);
    const metadata = {
      ...draft.metadata,
      uid: `uid-${++this.#uid}`,
      creationTimestamp: instantOf(this.#now()),
      managedFields: [{ manager }],
      generation: 1,
      resourceVersion: "",
    };
    return this.#write({ ...draft, metadata });
  }

  /** Applies a draft: its fields replace those of the object, which keeps others but the owners. */
  apply(draft: Draft, manager: string): Stored {
    const { name, namespace, resourceVersion: _version, ...meta } = draft.metadata;
    const known = this.find(draft.kind, `${namespace}/${name}`);
    if (meta.uid !== undefined && meta.uid !== known?.metadata.uid)
      throw new KubeError("conflict", "another object");
    if (known === undefined) return this.create(draft, manager);
    const { metadata: _meta, ...fields } = draft as Draft & Readonly<Record<string, unknown>>;
    const spec = { ...(known["spec"] as object | undefined), ...(fields["spec"] as object | undefined) };
    return this.patch(known, {
      ...fields,
      ...("spec" in fields ? { spec } : {}),
      metadata: { ownerReferences: undefined, ...meta },
    });
  }

  /** Replaces fields of an object; returns the object. */
  patch(known: Stored, { metadata, ...fields }: Patch): Stored {
    const isChanged = !isSame(fields["spec"] ?? known["spec"], known["spec"]);
    const areSame = Object.entries(fields).every(([name, value]) => isSame(value, known[name]));
    if (!isChanged && areSame && isWithin(known.metadata, metadata)) return known;
    const object: Stored = { ...known, ...fields, metadata: { ...known.metadata, ...metadata } };
    const generation = known.metadata.generation + (isChanged ? 1 : 0);
    const next = { ...object, metadata: { ...object.metadata, generation } };
    const { deletionTimestamp, finalizers = [] } = next.metadata;
    if (next.kind === "Node" && deletionTimestamp !== undefined && finalizers.length === 0) {
      this.drop(next);
      return next;
    }
    return this.#write(next);
  }

  /** Deletes an object: at once, or with its last finalizer; a pod and a claim stay until they are dropped. */
  remove(known: Stored): void {
    const waits = known.kind === "Pod" || known.kind === "PersistentVolumeClaim";
    if (!waits && (known.metadata.finalizers ?? []).length === 0) this.drop(known);
    else if (known.metadata.deletionTimestamp === undefined)
      this.patch(known, { metadata: { deletionTimestamp: instantOf(this.#now()) } });
  }

  /** Removes an object from the store. */
  drop({ kind, metadata: { namespace, name } }: Stored): void {
    const key = `${namespace}/${name}`;
    this.objects.delete(`${kind} ${key}`);
    this.#note(kind, key, undefined);
  }

  #write(object: Stored): Stored {
    const { kind, metadata } = object;
    const written = { ...object, metadata: { ...metadata, resourceVersion: String(++this.#version) } };
    const key = `${metadata.namespace}/${metadata.name}`;
    this.objects.set(`${kind} ${key}`, written);
    this.#note(kind, key, written);
    return written;
  }

  #note(kind: string, key: string, object: Stored | undefined): void {
    const known = this.#changes.get(kind) ?? [];
    this.#changes.set(kind, known);
    known.push({ key, object, at: this.#now() });
  }
}

/** Formats a time as the API server does, in whole seconds. */
function instantOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function isWithin(known: StoredMeta, patch: Partial<StoredMeta> = {}): boolean {
  const all: Readonly<Record<string, unknown>> = { ...known };
  return Object.entries(patch).every(([name, value]) => isSame(value, all[name]));
}
