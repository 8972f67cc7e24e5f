/**
 * Writes objects only when they are not as they should be: when the draft is another than the one that was last
 * applied, or when the object is another than the one that this made. What the API server fills in is thereby
 * never mistaken for a change, and what somebody changes by hand is put right. An object carries the digest of its
 * draft, so that an operator that starts anew need not write all that is as it was.
 */
import { createHash } from "node:crypto";
import { annotations, FIELD_MANAGER, labels } from "../api/names.ts";
import { type Draft, keyOf, readMeta } from "../api/resource.ts";
import { type CachedObject, createObjectPacker } from "../kube/cached-object.ts";
import type { KubeClient } from "../kube/client.ts";
import { isKubeError, KubeError } from "../kube/error.ts";
import { kindOf, kinds } from "../kube/resources.ts";
import { containsDraft } from "./contains.ts";

interface Applied {
  readonly draft: string;
  readonly live: string;
  /** The newest at which the object is known to have been so. */
  version: string;
  /** The object as it was written, until it is seen so or newer; of the kind that `latest` is asked for. */
  written: CachedObject | undefined;
}

/** The kind that `latest` is asked for: all that was just written for a thousand Nodes would take tens of MB. */
const LATEST = "StatefulSet";

/** Remembers what was applied. */
export class Applier {
  readonly #client: Pick<KubeClient, "apply" | "get" | "merge">;
  readonly #applied = new Map<string, Applied>();
  readonly #hold = createObjectPacker();

  constructor(client: Pick<KubeClient, "apply" | "get" | "merge">) {
    this.#client = client;
  }

  /** Makes the object so; true when it was written. Throws `KubeError`, `not-ours` when it is somebody else's. */
  async apply(draft: Draft, seen: CachedObject | undefined): Promise<boolean> {
    const key = `${draft.kind} ${keyOf(draft.metadata)}`;
    const wanted = digest(draft);
    const marked = withMark(draft, wanted);
    const before = this.#applied.get(key) ?? this.#known(key, { draft: marked, wanted, seen });
    if (before !== undefined) letGo(before, seen);
    if (before?.draft === wanted && isAsApplied(before, seen)) return false;
    if (before === undefined) await this.#checkOwner(draft, seen);
    const object = await this.#write(marked);
    const applied = this.#note(key, wanted, object);
    if (draft.kind === LATEST) applied.written = this.#hold(object);
    return true;
  }

  /** What an earlier operator applied, when it is still so. */
  #known(
    key: string,
    {
      draft,
      wanted,
      seen,
    }: { readonly draft: Draft; readonly wanted: string; readonly seen: CachedObject | undefined },
  ): Applied | undefined {
    if (seen === undefined || seen.meta.annotations[annotations.applied] !== wanted) return undefined;
    const { apiVersion: _version, kind: _kind, ...content } = draft; // items of a list are without
    const { object } = seen;
    return isOurs(object) && containsDraft(object, content) ? this.#note(key, wanted, object) : undefined;
  }

  #note(key: string, draft: string, object: unknown): Applied {
    const { resourceVersion: version } = readMeta(object);
    const applied: Applied = { draft, live: liveDigest(object), version, written: undefined };
    this.#applied.set(key, applied);
    return applied;
  }

  /**
   * Lists whose items have keys are merged item by item, so that one with another's item may become invalid, such as
   * a Service with two ports of one name: then lists are replaced as a whole first. One that is not there yet is
   * invalid by itself.
   */
  async #write(draft: Draft): Promise<unknown> {
    try {
      return await this.#client.apply(draft);
    } catch (error) {
      if (!isKubeError(error, "invalid")) throw error;
      const { apiVersion: _version, kind: _kind, ...patch } = draft;
      await this.#client.merge(kindOf(draft), draft.metadata, patch).catch((second: unknown) => {
        throw isKubeError(second, "not-found") ? error : second;
      });
      return this.#client.apply(draft);
    }
  }

  /** A StatefulSet as it was seen last or written, whichever is newer; undefined when there is none. */
  latest(kind: typeof LATEST, key: string, seen: CachedObject | undefined): unknown {
    const applied = this.#applied.get(`${kind} ${key}`);
    if (applied !== undefined) letGo(applied, seen);
    return (applied?.written ?? seen)?.object;
  }

  /** Forgets an object that is gone. */
  gone(kind: string, seen: CachedObject): void {
    const key = `${kind} ${keyOf(seen.meta)}`;
    const known = this.#applied.get(key);
    if (known !== undefined && !isOlder(seen.meta.resourceVersion, known.version)) this.#applied.delete(key);
  }

  /**
   * An object of this name that the operator has never written is another's, and stays so. A claim is the member's by
   * its name, whoever restored it: the pod mounts that one.
   */
  async #checkOwner(draft: Draft, seen: CachedObject | undefined): Promise<void> {
    if (draft.kind === kinds.claim.kind) return;
    const object = seen?.object ?? (await this.#client.get(kindOf(draft), draft.metadata));
    if (object === undefined || isOurs(object)) return;
    throw new KubeError(
      "not-ours",
      `${draft.kind} ${draft.metadata.name} is there already and is not the operator's`,
    );
  }
}

function withMark(draft: Draft, mark: string): Draft {
  const { annotations: given } = draft.metadata;
  return {
    ...draft,
    metadata: { ...draft.metadata, annotations: { ...given, [annotations.applied]: mark } },
  };
}

/** What was written is of no use once it is seen. */
function letGo(applied: Applied, seen: CachedObject | undefined): void {
  if (seen !== undefined && !isOlder(seen.meta.resourceVersion, applied.version)) applied.written = undefined;
}

/** An object that is not seen yet, or only as it was before the write, is no reason to write again. */
function isAsApplied(applied: Applied, seen: CachedObject | undefined): boolean {
  if (seen === undefined || isOlder(seen.meta.resourceVersion, applied.version)) return true;
  const { resourceVersion } = seen.meta;
  if (resourceVersion !== applied.version && liveDigest(seen.object) !== applied.live) return false;
  applied.version = resourceVersion;
  return true;
}

/** Versions of one kind are numbers that rise. */
export function isOlder(version: string, than: string): boolean {
  return /^\d+$/.test(version) && /^\d+$/.test(than) && BigInt(version) < BigInt(than);
}

/** True for what the operator wrote, and for a copy of it that people put back: that has its labels. */
function isOurs(object: unknown): boolean {
  const { metadata } = object as {
    metadata?: { managedFields?: unknown; labels?: Readonly<Record<string, unknown>> | null };
  };
  if (metadata?.labels?.[labels.managedBy] === FIELD_MANAGER) return true;
  const writers = Array.isArray(metadata?.managedFields)
    ? (metadata.managedFields as { manager?: unknown }[])
    : [];
  return writers.some(({ manager }) => manager === FIELD_MANAGER);
}

/** Of what people and the operator set: not of the status, of what the server counts, or of what lists leave out. */
function liveDigest(object: unknown): string {
  const {
    status: _status,
    apiVersion: _version,
    kind: _kind,
    metadata,
    ...rest
  } = object as Record<string, unknown>;
  const {
    resourceVersion: _v,
    managedFields: _m,
    generation: _g,
    ...meta
  } = (metadata ?? {}) as Record<string, unknown>;
  return digest({ ...rest, metadata: meta });
}

function digest(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
