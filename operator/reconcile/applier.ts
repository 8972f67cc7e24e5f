/**
 * Applies drafts only when needed: when the draft changed, or when the object differs from the one that the
 * draft produced. Fields that the API server fills in are no change; changes by users are reverted. An
 * annotation stores the digest of the draft, so that a restarted operator does not write unchanged objects.
 */
import { createHash } from "node:crypto";
import { annotations, FIELD_MANAGER, labels } from "../api/names.ts";
import { type Draft, keyOf, readMeta } from "../api/resource.ts";
import { type CachedObject, createObjectPacker } from "../kube/cached-object.ts";
import type { KubeClient } from "../kube/client.ts";
import { isKubeError, KubeError } from "../kube/error.ts";
import { kindOf, kinds } from "../kube/resources.ts";
import { type Clock, systemClock } from "../observe/clock.ts";

interface Applied {
  readonly draft: string;
  readonly live: string;
  /** Newest version at which the object was as applied. */
  version: string;
  /** The written object until an informer sees it; only of the kind of `latest`. */
  written: CachedObject | undefined;
  /** Time of the write, or of the last proof that the object exists, milliseconds since the epoch. */
  checkedAt: number;
}

/** Time after which an object that no informer has seen is looked up. */
const UNSEEN_MS = 30_000;

/** Kind of `latest`. Written objects of all kinds would take tens of MB with a thousand Nodes. */
const LATEST = "StatefulSet";

/** Applies drafts and remembers them. */
export class Applier {
  readonly #client: Pick<KubeClient, "apply" | "get" | "merge">;
  readonly #applied = new Map<string, Applied>();
  /** Digests of the latest drafts, with the hash of the draft whose keys are in their order. */
  readonly #digests = new Map<string, { readonly hash: string; readonly digest: string }>();
  readonly #hold = createObjectPacker();
  readonly #clock: Clock;
  /** Identity of the operator, for an annotation of its objects. */
  readonly #operator: string | undefined;

  constructor(
    client: Pick<KubeClient, "apply" | "get" | "merge">,
    clock: Clock = systemClock,
    operator?: string,
  ) {
    this.#client = client;
    this.#operator = operator;
    this.#clock = clock;
  }

  /**
   * Applies a draft; returns true when it was written. Throws `KubeError`, `not-ours` for an object of
   * somebody else.
   */
  async apply(draft: Draft, seen: CachedObject | undefined): Promise<boolean> {
    const key = `${draft.kind} ${keyOf(draft.metadata)}`;
    const wanted = this.#digestOf(key, draft);
    const marked = withMark(draft, wanted, this.#operator);
    const before = this.#applied.get(key) ?? this.#findUnchanged(key, { draft: marked, wanted, seen });
    if (before !== undefined) releaseWritten(before, seen);
    if (before !== undefined && seen === undefined && (await this.#isGone(draft, before))) {
      this.#applied.delete(key);
      return this.apply(draft, undefined);
    }
    if (before?.draft === wanted && isAsApplied(before, seen)) return false;
    if (before === undefined) await this.#checkOwner(draft, seen);
    const object = await this.#write(marked);
    const applied = this.#note(key, wanted, object);
    if (draft.kind === LATEST) applied.written = this.#hold(object);
    return true;
  }

  /** Returns the digest of a draft. The hash of an unchanged one is found in a third of the time. */
  #digestOf(key: string, draft: Draft): string {
    const hash = sha256(JSON.stringify(draft));
    const known = this.#digests.get(key);
    if (known?.hash === hash) return known.digest;
    const made = digest(draft);
    this.#digests.set(key, { hash, digest: made });
    return made;
  }

  /** True for an object that was deleted before an informer saw it. */
  async #isGone(draft: Draft, applied: Applied): Promise<boolean> {
    if (this.#clock.now() - applied.checkedAt < UNSEEN_MS) return false;
    if ((await this.#client.get(kindOf(draft), draft.metadata)) === undefined) return true;
    applied.checkedAt = this.#clock.now();
    return false;
  }

  /** Returns the state that an earlier operator applied, if it is unchanged. */
  #findUnchanged(
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
    const checkedAt = this.#clock.now();
    const applied: Applied = { draft, live: liveDigest(object), version, written: undefined, checkedAt };
    this.#applied.set(key, applied);
    return applied;
  }

  /**
   * Applies a draft. Lists with keys merge by item, which can make an object invalid, such as a Service with
   * two ports of one name. Lists are then replaced by a merge patch first.
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

  /** Returns the newer of a StatefulSet as seen and as written; undefined when there is none. */
  latest(kind: typeof LATEST, key: string, seen: CachedObject | undefined): unknown {
    const applied = this.#applied.get(`${kind} ${key}`);
    if (applied !== undefined) releaseWritten(applied, seen);
    return (applied?.written ?? seen)?.object;
  }

  /** Forgets a deleted object. */
  forget(kind: string, seen: CachedObject): void {
    const key = `${kind} ${keyOf(seen.meta)}`;
    const known = this.#applied.get(key);
    this.#digests.delete(key);
    if (known !== undefined && !isOlder(seen.meta.resourceVersion, known.version)) this.#applied.delete(key);
  }

  /**
   * Throws for an object that the operator did not create. A claim belongs to the member by its name, even
   * when it was restored by a user, because the pod mounts it.
   */
  async #checkOwner(draft: Draft, seen: CachedObject | undefined): Promise<void> {
    if (draft.kind === kinds.claim.kind) return;
    const object = seen?.object ?? (await this.#client.get(kindOf(draft), draft.metadata));
    if (object === undefined || isOurs(object)) return;
    throw new KubeError(
      "not-ours",
      `${draft.kind} ${draft.metadata.name} exists and does not belong to the operator`,
    );
  }
}

function withMark(draft: Draft, mark: string, operator: string | undefined): Draft {
  const { annotations: given } = draft.metadata;
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      annotations: {
        ...given,
        ...(operator === undefined ? {} : { [annotations.operator]: operator }),
        [annotations.applied]: mark,
      },
    },
  };
}

/** Drops the written object once an informer has seen it. */
function releaseWritten(applied: Applied, seen: CachedObject | undefined): void {
  if (seen !== undefined && !isOlder(seen.meta.resourceVersion, applied.version)) applied.written = undefined;
}

/**
 * True when the object is as applied. One that is not seen yet, or only as before the write, counts as such.
 */
function isAsApplied(applied: Applied, seen: CachedObject | undefined): boolean {
  if (seen === undefined || isOlder(seen.meta.resourceVersion, applied.version)) return true;
  const { resourceVersion } = seen.meta;
  if (resourceVersion !== applied.version && liveDigest(seen.object) !== applied.live) return false;
  applied.version = resourceVersion;
  return true;
}

/** Compares resource versions, which are increasing numbers. */
export function isOlder(version: string, than: string): boolean {
  return /^\d+$/.test(version) && /^\d+$/.test(than) && BigInt(version) < BigInt(than);
}

/** True for an object that the operator wrote, and for a restored copy, which has its labels. */
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

/**
 * Computes the digest of the fields that users and the operator set, without status, counters and fields that
 * lists omit.
 */
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
  return sha256(canonical(value));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Formats JSON with sorted keys. Sorting first is three times as fast as a replacer of `JSON.stringify`. */
function canonical(value: unknown): string {
  return JSON.stringify(sortedKeys(value));
}

function sortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedKeys);
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).sort();
  return Object.fromEntries(names.map((name) => [name, sortedKeys(members[name])]));
}

/**
 * True when `live` has every member of `wanted`, and lists of the same length. Additional members of `live`,
 * and omitted empty ones, are ignored. A value that the server formats differently, such as 1024Mi, counts as
 * a difference.
 */
export function containsDraft(live: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return live === wanted;
  if (live === undefined) return Object.values(wanted).every((each) => each === undefined);
  if (typeof live !== "object" || live === null || Array.isArray(live) !== Array.isArray(wanted))
    return false;
  if (Array.isArray(live) && live.length !== Object.keys(wanted).length) return false;
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || containsDraft((live as Record<string, unknown>)[name], value),
  );
}
