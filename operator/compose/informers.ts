/** Starts the informers of all kinds. Their events add the keys of affected Nodes and Networks to the work queues. */
import { labels } from "../api/names.ts";
import { keyOf } from "../api/resource.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import type { KubeClient } from "../kube/client.ts";
import { openReflector, type Reflector, type ReflectorOptions } from "../kube/reflector.ts";
import { type Kind, kinds } from "../kube/resources.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import type { Applier } from "../reconcile/applier.ts";
import { type ClusterCache, type WatchedKind, watchedKinds } from "../reconcile/cluster-cache.ts";
import type { ReconcileMemory } from "../reconcile/memory.ts";
import { projectPod } from "../reconcile/pod-view.ts";
import type { WorkQueue } from "../runtime/queue.ts";
import { watchOptionalKinds } from "./optional-kinds.ts";

/** Options of the informers, and the receivers of their events. */
export interface InformersOptions {
  readonly client: KubeClient;
  /** Namespaces of the Nodes; all when empty. */
  readonly watchNamespaces: readonly string[];
  /** Label selector of the operator's own objects. */
  readonly selector: string;
  readonly log: Log;
  readonly pause: ReflectorOptions["pause"];
  readonly signal: AbortSignal;
  /** Owns the informers. */
  readonly resources: AsyncDisposableStack;
  readonly cache: ClusterCache;
  readonly memory: ReconcileMemory;
  readonly applier: Applier;
  readonly nodeQueue: WorkQueue;
  readonly networkQueue: WorkQueue;
}

/** Interval of the discovery of optional kinds. */
const DISCOVERY_MS = 30_000;
/** Delay of a Network's reconciliation after a change of a Node, because many Nodes change at once. */
const NETWORK_DELAY_MS = 2_000;

/** A namespace to watch, or all namespaces when it has no name. */
interface Place {
  readonly namespace: string | undefined;
  /** Resolves when the namespace turns out to be missing. */
  readonly missing: Promise<void>;
  readonly declareMissing: () => void;
  /** Kinds whose lists are denied. */
  readonly denied: Set<string>;
  /** First lists of the kinds that each Node needs. */
  readonly lists: Promise<void>[];
}

/** The options, and the namespaces to watch. */
interface Watching extends InformersOptions {
  readonly places: readonly Place[];
}

/**
 * Starts the informers and waits for their first lists. Nodes come last, so that the objects of a Node are cached when
 * it is first reconciled. Networks are reconciled once all Nodes are cached. A namespace that is missing holds up no
 * other: its Nodes and Networks are reconciled once it can be read.
 */
export async function startInformers(options: InformersOptions): Promise<void> {
  const { watchNamespaces, cache, signal, resources } = options;
  const names = watchNamespaces.length === 0 ? [undefined] : watchNamespaces;
  const places = names.map((namespace) => createPlace(namespace));
  const watching = { ...options, places };
  for (const kind of watchedKinds) {
    const informer = resources.use(openObjects(watching, kind));
    cache.addInformer(kind, informer);
    await unlessAborted(signal, informer.synced); // one list at a time: a page of each at once would take tens of MB
  }
  await startOptional(watching);
  const networks = resources.use(openNetworks(watching));
  cache.addInformer("network", networks);
  await unlessAborted(signal, networks.synced);
  const nodes = resources.use(openNodes(watching));
  cache.addInformer("node", nodes);
  await unlessAborted(signal, nodes.synced);
  for (const place of places) void Promise.all(place.lists).then(() => beginWith(watching, place));
}

function createPlace(namespace: string | undefined): Place {
  const { promise: missing, resolve: declareMissing } = Promise.withResolvers<void>();
  return { namespace, missing, declareMissing, denied: new Set(), lists: [] };
}

/** Has the Nodes and Networks of a namespace reconciled, whose objects are cached now. */
function beginWith(options: InformersOptions, place: Place): void {
  const { cache, nodeQueue, networkQueue } = options;
  const { namespace } = place;
  cache.markSynced(namespace);
  endMissing(options, place);
  for (const { meta } of cache.list("node", namespace)) nodeQueue.add(keyOf(meta));
  for (const { meta } of cache.list("network", namespace)) networkQueue.add(keyOf(meta));
}

/** Counts a namespace with a kind that may not be read as missing, also one that could be read before. */
function beginMissing({ cache, log }: InformersOptions, place: Place, kind: Kind, error: unknown): void {
  const { namespace, denied } = place;
  denied.add(kind.kind);
  if (namespace === undefined || cache.missingNamespaces.includes(namespace)) return;
  log.error({ namespace, error: messageOf(error) }, MISSING);
  cache.markMissing(namespace);
  place.declareMissing();
}

/** Ends the absence of a namespace once all kinds can be read again, if all of them were read before. */
function endMissing({ cache, log }: InformersOptions, { namespace, denied }: Place): void {
  if (namespace === undefined || denied.size > 0 || !cache.isSynced(namespace)) return;
  if (!cache.missingNamespaces.includes(namespace)) return;
  cache.markFound(namespace);
  log.info({ namespace }, "namespace can be read, and is watched");
}

async function startOptional(options: Watching): Promise<void> {
  const { client, cache, nodeQueue, log, resources } = options;
  const open = (kind: WatchedKind): Reflector => openObjects(options, kind, true);
  const onServed = (): void =>
    addAll(
      nodeQueue,
      cache.nodes().map(({ meta }) => keyOf(meta)),
    );
  resources.use(await watchOptionalKinds({ client, cache, open, onServed, intervalMs: DISCOVERY_MS, log }));
}

function openObjects(options: Watching, kind: WatchedKind, isOptional = false): Reflector {
  const { cache, applier, nodeQueue, networkQueue, selector } = options;
  const transform = kind === "pod" ? projectPod : undefined;
  const opened = { kind: kinds[kind], labelSelector: selector, transform, isOptional };
  return openInformer(options, opened, (now, before) => {
    if (now === undefined && before !== undefined) applier.forget(kinds[kind].kind, before);
    for (const object of [now, before].filter((each) => each !== undefined)) {
      addAll(nodeQueue, cache.nodesAffectedBy(object));
      if (cache.isSynced(object.meta.namespace)) addAll(networkQueue, networkOf(object));
    }
  });
}

/** Returns the Network of an object that belongs to no Node. */
function networkOf({ meta }: CachedObject): readonly string[] {
  const name = meta.labels[labels.network];
  if (name === undefined || meta.labels[labels.node] !== undefined) return [];
  return [keyOf({ namespace: meta.namespace, name })];
}

function openNetworks(options: Watching): Reflector {
  const { cache, memory, nodeQueue, networkQueue } = options;
  return openInformer(options, { kind: kinds.network }, (now, before) => {
    const { meta } = now ?? before ?? {};
    if (meta === undefined) return;
    if (cache.isSynced(meta.namespace)) networkQueue.add(keyOf(meta));
    if (now === undefined) {
      networkQueue.forget(keyOf(meta));
      memory.recordBlockMark(keyOf(meta), undefined);
    }
    const isStatus = now?.meta.generation === before?.meta.generation;
    if (isStatus && !cache.isGenesisChanged(now, before)) return;
    addAll(nodeQueue, cache.nodesOfNetwork(meta.namespace, meta.name));
  });
}

function openNodes(options: Watching): Reflector {
  const { applier, cache, memory, nodeQueue, networkQueue } = options;
  return openInformer(options, { kind: kinds.node }, (now, before) => {
    const { meta } = now ?? before ?? {};
    if (meta === undefined) return;
    if (before !== undefined && cache.isRequestChanged(now, before)) nodeQueue.addUrgent(keyOf(meta));
    else if (cache.isChanged(now, before)) nodeQueue.add(keyOf(meta));
    addAll(nodeQueue, cache.peersAffectedBy(now, before));
    const network = cache.networkKey(now ?? before);
    if (cache.isSynced(meta.namespace) && network !== undefined)
      networkQueue.addAfter(network, NETWORK_DELAY_MS);
    if (now !== undefined || before === undefined) return;
    applier.forget(kinds.node.kind, before);
    nodeQueue.forget(keyOf(meta));
    cache.delete(keyOf(meta));
    memory.deleteNode(keyOf(meta));
  });
}

interface InformerOptions extends Pick<ReflectorOptions, "transform"> {
  readonly kind: Kind;
  readonly labelSelector?: string;
  /** True for a kind that no Node has to wait for. */
  readonly isOptional?: boolean;
}

function openInformer(
  options: Watching,
  { kind, labelSelector, transform, isOptional = false }: InformerOptions,
  onChange: ReflectorOptions["onChange"],
): Reflector {
  const { client, places, log, pause } = options;
  return joinReflectors(
    places.map((place) => {
      const { namespace, missing, lists } = place;
      const reflector = openReflector({
        client,
        log,
        pause,
        selection: { kind, namespace, labelSelector },
        transform,
        onChange,
        onDenied: isOptional ? undefined : (error) => beginMissing(options, place, kind, error),
        onAllowed() {
          place.denied.delete(kind.kind);
          endMissing(options, place);
        },
      });
      if (!isOptional) lists.push(reflector.synced);
      return { ...reflector, synced: Promise.race([reflector.synced, missing]) };
    }),
  );
}

const MISSING =
  "namespace is left out until it can be read: it does not exist, or the operator has no rights in it";

/** Joins the reflectors of several namespaces to one. */
function joinReflectors(all: readonly Reflector[]): Reflector {
  return {
    synced: Promise.all(all.map(({ synced }) => synced)).then(() => undefined),
    get: (key) => all.map((each) => each.get(key)).find((object) => object !== undefined),
    *list(namespace) {
      for (const each of all) yield* each.list(namespace);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

function addAll(queue: WorkQueue, keys: readonly string[]): void {
  for (const key of keys) queue.add(key);
}

async function unlessAborted(signal: AbortSignal, promise: Promise<unknown>): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
