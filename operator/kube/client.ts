/** What is done with objects: read, applied, created, patched. Answers are passed on as they came, unread. */
import type { Draft, StatusDraft } from "../api/resource.ts";
import type { Access } from "./access.ts";
import { isKubeError, KubeError } from "./error.ts";
import { type Kind, kindOf, pathOf } from "./resources.ts";
import { openTransport, type Transport, type TransportOptions } from "./transport.ts";

/** An object's place. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** A page of a list. */
export interface Page {
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
  readonly next: string | undefined;
}

/** What is asked of a list or a watch. */
export interface Selection {
  readonly kind: Kind;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** The API server's objects. All throw `KubeError`. */
export interface KubeClient extends AsyncDisposable {
  /** An object, or undefined when it is not there. */
  get(kind: Kind, place: Place): Promise<unknown>;
  page(selection: Selection, next: string | undefined, signal: AbortSignal): Promise<Page>;
  /** Events after `resourceVersion`, bookmarks among them, until the server ends the watch. */
  watch(selection: Selection, resourceVersion: string, signal: AbortSignal): AsyncGenerator;
  /** Server-side apply: the fields of `draft` become so, whoever had set them. */
  apply(draft: Draft): Promise<unknown>;
  /** The same for the status alone. */
  applyStatus(draft: StatusDraft): Promise<unknown>;
  create(draft: Draft): Promise<unknown>;
  /** Replaces an object as a whole; the draft's `resourceVersion` guards against lost writes. */
  replace(draft: Draft): Promise<unknown>;
  /** A JSON merge patch. */
  merge(kind: Kind, place: Place, patch: unknown): Promise<unknown>;
  /** Deletes the object with this `uid`; one that is gone, or another of its name, is none of this call's. */
  remove(kind: Kind, place: Place, uid: string): Promise<void>;
  /** Whether the cluster has this kind at the moment. */
  serves(kind: Kind): Promise<boolean>;
}

/** Seconds after which the server ends a watch; spread so that not all end at once. */
const WATCH_SECONDS = 240;
/** Pages take memory that is not given back. */
const PAGE = "100";

/** Opens a client. */
export function openKubeClient(
  options: TransportOptions & { readonly access: Access; readonly fieldManager: string },
): KubeClient {
  const transport = openTransport(options);
  const { fieldManager } = options;
  return {
    ...readingSide(transport),
    apply: (draft) => transport.send(applied(draft, fieldManager, "")),
    applyStatus: (draft) => transport.send(applied(draft, fieldManager, "/status")),
    create: (draft) =>
      transport.send({
        method: "POST",
        path: pathOf(kindOf(draft), draft.metadata.namespace),
        query: { fieldManager },
        body: draft,
      }),
    replace: (draft) =>
      transport.send({
        method: "PUT",
        path: pathOf(kindOf(draft), draft.metadata.namespace, draft.metadata.name),
        query: { fieldManager },
        body: draft,
      }),
    merge: (kind, { namespace, name }, patch) =>
      transport.send({
        method: "PATCH",
        path: pathOf(kind, namespace, name),
        query: { fieldManager },
        body: patch,
        contentType: "application/merge-patch+json",
      }),
    async remove(kind, { namespace, name }, uid) {
      try {
        await transport.send({
          method: "DELETE",
          path: pathOf(kind, namespace, name),
          body: { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid } },
        });
      } catch (error) {
        if (!isKubeError(error, "not-found") && !isKubeError(error, "conflict")) throw error;
      }
    },
    serves: (kind) => servesKind(transport, kind),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

async function servesKind(transport: Transport, { apiVersion, plural }: Kind): Promise<boolean> {
  try {
    const answer = await transport.send({ method: "GET", path: `/apis/${apiVersion}` });
    const { resources } = (answer ?? {}) as { resources?: unknown };
    return Array.isArray(resources) && resources.some((each) => nameOf(each) === plural);
  } catch (error) {
    if (isKubeError(error, "not-found")) return false;
    throw error;
  }
}

function nameOf(resource: unknown): unknown {
  return (resource as { name?: unknown } | null)?.name;
}

function readingSide(transport: Transport): Pick<KubeClient, "get" | "page" | "watch"> {
  return {
    get: (kind, { namespace, name }) =>
      transport.send({ method: "GET", path: pathOf(kind, namespace, name) }).catch((error: unknown) => {
        if (isKubeError(error, "not-found")) return undefined;
        throw error;
      }),
    async page({ kind, namespace, labelSelector }, next, signal) {
      const answer = await transport.send({
        method: "GET",
        path: pathOf(kind, namespace),
        query: { limit: PAGE, ...selector(labelSelector), ...(next === undefined ? {} : { continue: next }) },
        signal,
      });
      return readPage(answer);
    },
    watch: ({ kind, namespace, labelSelector }, resourceVersion, signal) =>
      transport.lines({
        method: "GET",
        path: pathOf(kind, namespace),
        query: {
          watch: "1",
          allowWatchBookmarks: "true",
          timeoutSeconds: String(WATCH_SECONDS + Math.floor(Math.random() * 60)),
          resourceVersion,
          ...selector(labelSelector),
        },
        signal,
      }),
  };
}

function selector(labelSelector: string | undefined): Readonly<Record<string, string>> {
  return labelSelector === undefined ? {} : { labelSelector };
}

function applied(draft: Draft, fieldManager: string, subresource: "" | "/status") {
  const { namespace, name } = draft.metadata;
  return {
    method: "PATCH",
    path: `${pathOf(kindOf(draft), namespace, name)}${subresource}`,
    query: { fieldManager, force: "true" },
    body: draft,
    contentType: "application/apply-patch+yaml",
  } as const;
}

function readPage(answer: unknown): Page {
  const { items, metadata } = (answer ?? {}) as { items?: unknown; metadata?: Record<string, unknown> };
  const resourceVersion = metadata?.["resourceVersion"];
  if (!Array.isArray(items) || typeof resourceVersion !== "string") {
    throw new KubeError("server", "the answer is not a list of objects");
  }
  const next = metadata?.["continue"];
  return { items, resourceVersion, next: typeof next === "string" && next !== "" ? next : undefined };
}
