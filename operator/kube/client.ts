/**
 * Client of the API server's REST API: reads, applies, creates and patches objects. Responses are returned
 * unparsed.
 */
import type { Draft, StatusDraft } from "../api/resource.ts";
import type { Access } from "./access.ts";
import { isKubeError, KubeError } from "./error.ts";
import { type Kind, kindOf, kinds, pathOf } from "./resources.ts";
import { openTransport, type Transport, type TransportOptions } from "./transport.ts";

/** Namespace and name of an object. */
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

/** Objects of a list or a watch. */
export interface Selection {
  readonly kind: Kind;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Lists objects page by page. Throws as `KubeClient.page`. */
export async function* itemPages(
  client: Pick<KubeClient, "page">,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<readonly unknown[]> {
  let next: string | undefined;
  do {
    const page = await client.page(selection, next, signal);
    yield page.items;
    ({ next } = page);
  } while (next !== undefined);
}

/** Selection of log lines, as in the API of pods. */
export interface LogQuery {
  readonly container: string;
  readonly tailLines: number;
  /** True for the container before its last restart. */
  readonly previous?: boolean;
  readonly follow?: boolean;
}

/** The client. All methods throw `KubeError`. */
export interface KubeClient extends AsyncDisposable {
  /** Reads an object; undefined when it does not exist. */
  get(kind: Kind, place: Place): Promise<unknown>;
  page(selection: Selection, next: string | undefined, signal: AbortSignal): Promise<Page>;
  /** Streams events after `resourceVersion`, including bookmarks, until the server ends the watch. */
  watch(selection: Selection, resourceVersion: string, signal: AbortSignal): AsyncGenerator;
  /**
   * Streams events of one namespace, the first of which is its present state, until the server ends the watch. The path
   * names the namespace, because a Role in a namespace permits no watch of a path without it.
   */
  watchNamespace(name: string, signal: AbortSignal): AsyncGenerator;
  /** Streams the log of a pod's container; until the container ends with `follow`. */
  log(pod: Place, query: LogQuery, signal: AbortSignal): AsyncGenerator<string>;
  /** Server-side apply with force: takes over the fields of `draft` from other managers. */
  apply(draft: Draft): Promise<unknown>;
  /** Applies an object of the whole cluster in the same way. */
  applyDefinition(definition: ClusterDraft): Promise<unknown>;
  /** Reads a document of the API server's OpenAPI v3, such as `apis/apps/v1`. */
  openApi(path: string): Promise<unknown>;
  /** Applies the status. */
  applyStatus(draft: StatusDraft): Promise<unknown>;
  create(draft: Draft): Promise<unknown>;
  /** Replaces an object; `resourceVersion` in the draft is the precondition. */
  replace(draft: Draft): Promise<unknown>;
  /** Applies a JSON merge patch. */
  merge(kind: Kind, place: Place, patch: unknown): Promise<unknown>;
  /** Deletes the object with this `uid`. An object that is gone or has another uid is ignored. */
  remove(kind: Kind, place: Place, uid: string): Promise<void>;
  /** True when the cluster serves this kind. */
  serves(kind: Kind): Promise<boolean>;
}

/** An object to write that has no namespace. */
export interface ClusterDraft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Duration of a watch in seconds, randomised so that watches do not end at once. */
const WATCH_SECONDS = 240;
/** Page size of lists, which bounds the memory peak. */
const PAGE = "100";

/** Opens a client. */
export function openKubeClient(
  options: TransportOptions & { readonly access: Access; readonly fieldManager: string },
): KubeClient {
  const transport = openTransport(options);
  const { fieldManager } = options;
  return {
    ...readingSide(transport),
    log: (pod, query, signal) => transport.text({ method: "GET", ...logRequest(pod, query), signal }),
    apply: (draft) => transport.send(applyRequest(draft, fieldManager, "")),
    applyDefinition: (draft) => transport.send(applyRequest(draft, fieldManager, "")),
    openApi: (path) => transport.send({ method: "GET", path: `/openapi/v3/${path}` }),
    applyStatus: (draft) => transport.send(applyRequest(draft, fieldManager, "/status")),
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

function readingSide(transport: Transport): Pick<KubeClient, "get" | "page" | "watch" | "watchNamespace"> {
  return {
    get: (kind, { namespace, name }) =>
      transport.send({ method: "GET", path: pathOf(kind, namespace, name) }).catch((error: unknown) => {
        if (isKubeError(error, "not-found")) return undefined;
        throw error;
      }),
    async page({ kind, namespace, ...selectors }, next, signal) {
      const answer = await transport.send({
        method: "GET",
        path: pathOf(kind, namespace),
        query: { limit: PAGE, ...queryOf(selectors), ...(next === undefined ? {} : { continue: next }) },
        signal,
      });
      return readPage(answer);
    },
    watch: ({ kind, namespace, ...selectors }, resourceVersion, signal) =>
      transport.lines({
        method: "GET",
        path: pathOf(kind, namespace),
        query: { watch: "1", ...watchQuery(resourceVersion), ...queryOf(selectors) },
        signal,
      }),
    watchNamespace: (name, signal) =>
      transport.lines({
        method: "GET",
        path: `/api/v1/watch/namespaces/${encodeURIComponent(name)}`,
        query: watchQuery("0"),
        signal,
      }),
  };
}

function watchQuery(resourceVersion: string): Readonly<Record<string, string>> {
  const timeoutSeconds = String(WATCH_SECONDS + Math.floor(Math.random() * 60));
  return { allowWatchBookmarks: "true", timeoutSeconds, resourceVersion };
}

function logRequest({ namespace, name }: Place, { container, tailLines, previous, follow }: LogQuery) {
  const query = { container, tailLines: String(tailLines) };
  return {
    path: `${pathOf(kinds.pod, namespace, name)}/log`,
    query: {
      ...query,
      ...(previous === true ? { previous: "true" } : {}),
      ...(follow === true ? { follow: "true" } : {}),
    },
  };
}

function queryOf({
  labelSelector,
  fieldSelector,
}: Pick<Selection, "labelSelector" | "fieldSelector">): Readonly<Record<string, string>> {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

function applyRequest(draft: Draft | ClusterDraft, fieldManager: string, subresource: "" | "/status") {
  const { namespace, name } = { namespace: undefined, ...draft.metadata };
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
    throw new KubeError("server", "the response is not a list of objects");
  }
  const next = metadata?.["continue"];
  return { items, resourceVersion, next: typeof next === "string" && next !== "" ? next : undefined };
}
