/**
 * A reflector as in client-go: lists all objects of a kind page by page, then watches for changes. An ended
 * watch resumes at the last version. A watch that is too old (410) or unreadable starts again with a list,
 * whose differences are reported as events. A server that cannot be reached is retried with exponential
 * backoff.
 */
import { keyOf } from "../api/resource.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import { type CachedObject, createObjectPacker } from "./cached-object.ts";
import type { KubeClient, Selection } from "./client.ts";
import { errorOfAnswer, isKubeError, KubeError } from "./error.ts";
import { Store } from "./store.ts";

/** Options of a reflector. */
export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly selection: Selection;
  /**
   * Converts an object for the cache; throws `ApiError` for an unreadable one. The default compresses the
   * whole object.
   */
  readonly transform?: ((object: unknown) => CachedObject) | undefined;
  /** Called for every added, changed or deleted object; `now` is undefined for a deleted one. */
  readonly onChange: (now: CachedObject | undefined, before: CachedObject | undefined) => void;
  /** Called when lists or watches were denied several times in a row. They are repeated all the same, from a list on. */
  readonly onDenied?: ((error: unknown) => void) | undefined;
  /** Called when that list is permitted. */
  readonly onAllowed?: (() => void) | undefined;
  readonly log: Log;
  /** Maximum number of cached objects. */
  readonly maxObjects?: number;
  /** Waits; rejects when the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The cached objects of a kind. Disposing it ends the watch. */
export interface Reflector extends AsyncDisposable {
  /** Resolves when the first list is complete. */
  readonly synced: Promise<void>;
  get(key: string): CachedObject | undefined;
  /** Lists all objects, or those of a namespace. */
  list(namespace?: string): Iterable<CachedObject>;
}

const MAX_OBJECTS = 20_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** Denied requests in a row that are reported: the API server may not know yet of rights that were just granted. */
const DENIALS = 4;
/** Minimum duration of a watch that counts as successful. */
const SHORT_WATCH_MS = 1_000;

/** Starts to list and watch. */
export function openReflector(given: ReflectorOptions): Reflector {
  const options = { ...given, transform: given.transform ?? createObjectPacker() };
  const store = new Store<CachedObject>();
  const closing = new AbortController();
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const following = follow({ options, store, signal: closing.signal, onList: resolve });
  return {
    synced,
    get: (key) => store.get(key),
    list: (namespace) => store.values(namespace),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await following;
    },
  };
}

interface Following {
  readonly options: ReflectorOptions & { readonly transform: (object: unknown) => CachedObject };
  readonly store: Store<CachedObject>;
  readonly signal: AbortSignal;
  readonly onList: () => void;
}

async function follow(following: Following): Promise<void> {
  const { options, signal, onList } = following;
  let failures = 0;
  const denials = countDenials(options);
  let version: string | undefined;
  while (!signal.aborted) {
    const began = performance.now();
    try {
      version ??= await listAll(following);
      onList();
      denials.recordList();
      for await (const event of options.client.watch(options.selection, version, signal)) {
        version = takeEvent(following, event) ?? version;
        failures = 0;
      }
      denials.recordWatch();
      if (performance.now() - began >= SHORT_WATCH_MS) continue;
      await options.pause(waitAfter(undefined, ++failures), signal).catch(() => undefined);
    } catch (error) {
      if (signal.aborted) return;
      if (denials.recordFailure(error) || isLost(error)) version = undefined;
      failures++;
      const wait = waitAfter(error, failures);
      logFailure(options, error, wait);
      await options.pause(wait, signal).catch(() => undefined);
    }
  }
}

/** Counts denied requests in a row, and reports when they are too many and when they end. */
function countDenials({ onDenied, onAllowed }: Pick<ReflectorOptions, "onDenied" | "onAllowed">) {
  let count = 0;
  return {
    /** Counts a failure; true while the next request must be a list. */
    recordFailure(error: unknown): boolean {
      if (isKubeError(error, "forbidden") && ++count === DENIALS) onDenied?.(error);
      return count >= DENIALS;
    },
    /** Ends reported denials. Others go on, because a watch may be denied where a list is not. */
    recordList(): void {
      if (count < DENIALS) return;
      count = 0;
      onAllowed?.();
    },
    recordWatch(): void {
      count = 0;
    },
  };
}

function logFailure({ selection, log }: Following["options"], error: unknown, wait: number): void {
  const { namespace, kind } = selection;
  const fields = { kind: kind.kind, namespace, error: messageOf(error), wait };
  if (isKubeError(error, "gone")) log.info(fields, "resource version has expired; listing again");
  else log.warn(fields, "watch was interrupted");
}

/** True when the watch cannot resume and a new list is needed. */
function isLost(error: unknown): boolean {
  return isKubeError(error, "gone") || isKubeError(error, "bad-answer") || isKubeError(error, "too-large");
}

function waitAfter(error: unknown, failures: number): number {
  if (isKubeError(error, "gone") && failures === 1) return 0;
  const asked = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0;
  const doubled = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
  // Not all that were refused come again at the same moment, nor before the server allows it.
  return asked * (1 + Math.random() / 4) + doubled * (0.75 + Math.random() / 2);
}

/** Lists all objects, reports the differences and returns the version from which to watch. */
async function listAll({ options, store, signal }: Following): Promise<string> {
  const { selection, log, maxObjects = MAX_OBJECTS } = options;
  const present = new Map<string, CachedObject>();
  let ignored = 0;
  let next: string | undefined;
  let version: string;
  do {
    const page = await options.client.page(selection, next, signal);
    for (const item of page.items) {
      const seen = read(item, options);
      if (seen === undefined) continue;
      if (present.size < maxObjects) present.set(keyOf(seen.meta), seen);
      else ignored++;
    }
    ({ next, resourceVersion: version } = page);
  } while (next !== undefined);
  if (ignored > 0) log.error({ kind: selection.kind.kind, ignored }, "objects ignored: too many objects");
  for (const [key, before] of store.entries()) {
    if (present.has(key)) continue;
    store.delete(key);
    options.onChange(undefined, before);
  }
  for (const [key, seen] of present) put(key, seen, store, options);
  return version;
}

function put(
  key: string,
  seen: CachedObject,
  store: Store<CachedObject>,
  { onChange, log, maxObjects }: ReflectorOptions,
): void {
  const before = store.get(key);
  if (before?.meta.resourceVersion === seen.meta.resourceVersion) return;
  if (before === undefined && store.size >= (maxObjects ?? MAX_OBJECTS)) {
    log.error({ key }, "object ignored: too many objects");
    return;
  }
  store.set(key, seen);
  onChange(seen, before);
}

function read(item: unknown, { transform, log }: Following["options"]): CachedObject | undefined {
  try {
    return transform(item);
  } catch (error) {
    log.warn({ error: (error as Error).message }, "object ignored: it cannot be parsed");
    return undefined;
  }
}

/** Processes one event and returns its version. Throws `KubeError` for an error event. */
function takeEvent({ options, store }: Following, event: unknown): string | undefined {
  const { type, object } = (event ?? {}) as { type?: unknown; object?: unknown };
  if (type === "ERROR") throw errorOfAnswer(codeOf(object), object);
  if (type === "BOOKMARK") return versionOf(object);
  const seen = read(object, options);
  if (seen === undefined) return undefined;
  const key = keyOf(seen.meta);
  if (type === "DELETED") {
    store.delete(key);
    options.onChange(undefined, seen);
  } else if (type === "ADDED" || type === "MODIFIED") put(key, seen, store, options);
  return seen.meta.resourceVersion;
}

function codeOf(object: unknown): number {
  const { code } = (object ?? {}) as { code?: unknown };
  return typeof code === "number" ? code : 500;
}

/** Reads the version of a bookmark, which is an object with a version only. */
function versionOf(object: unknown): string | undefined {
  const { metadata } = (object ?? {}) as { metadata?: { resourceVersion?: unknown } };
  const version = metadata?.resourceVersion;
  return typeof version === "string" ? version : undefined;
}
