/** Follows what there is in the cluster, and puts whomever a change concerns into the queues. */
import { labels } from "./api/names.ts";
import { keyOf } from "./api/resource.ts";
import type { Board } from "./board.ts";
import type { KubeClient } from "./kube/client.ts";
import { openReflector, type Reflector, type ReflectorOptions } from "./kube/reflector.ts";
import { type Kind, kinds } from "./kube/resources.ts";
import type { Seen } from "./kube/seen.ts";
import { pause } from "./observe/clock.ts";
import type { Log } from "./observe/log.ts";
import { followOptionalKinds } from "./optional-kinds.ts";
import type { Applier } from "./reconcile/applier.ts";
import { holdPod } from "./reconcile/pod-view.ts";
import { type FollowedKind, followedKinds } from "./reconcile/surroundings.ts";
import type { WorkQueue } from "./runtime/queue.ts";

/** What is followed, and who hears of it. */
export interface Following {
  readonly client: KubeClient;
  readonly watchNamespace: string | undefined;
  /** What the operator's own objects are known by. */
  readonly selector: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Takes what is opened. */
  readonly parts: AsyncDisposableStack;
  readonly board: Board;
  readonly applier: Applier;
  readonly queue: WorkQueue;
  readonly networks: WorkQueue;
}

/** How often kinds that a cluster may not have are looked for. */
const KINDS_MS = 30_000;
/** Sums over a network's nodes are written this much later, for many change at once. */
const SUMS_MS = 2_000;

/**
 * Opens the reflectors and waits for their first lists. The Nodes come last: when the first of them is worked on, what
 * it consists of is known; and Networks are worked on when all Nodes are.
 */
export async function follow(following: Following): Promise<void> {
  const { board, networks, signal, parts } = following;
  for (const kind of followedKinds) {
    const objects = parts.use(openObjects(following, kind));
    board.followed.set(kind, objects);
    await unless(signal, objects.synced); // one list after another: a page of each at once would take tens of MB
  }
  await followOptional(following);
  board.networks = parts.use(openNetworks(following));
  await unless(signal, board.networks.synced);
  board.seen = parts.use(openNodes(following));
  await unless(signal, board.seen.synced);
  board.complete = true;
  for (const { meta } of board.networks.all()) networks.add(keyOf(meta));
}

async function followOptional(following: Following): Promise<void> {
  const { client, board, queue, log, parts } = following;
  const open = (kind: FollowedKind): Reflector => openObjects(following, kind);
  const came = (): void =>
    addAll(
      queue,
      board.nodes().map(({ meta }) => keyOf(meta)),
    );
  parts.use(await followOptionalKinds({ client, board, open, came, everyMs: KINDS_MS, log }));
}

function openObjects(following: Following, kind: FollowedKind): Reflector {
  const { board, applier, queue, networks, selector } = following;
  const keep = kind === "pod" ? holdPod : undefined;
  return openOf(following, { kind: kinds[kind], labelSelector: selector, keep }, (now, before) => {
    if (now === undefined && before !== undefined) applier.gone(kinds[kind].kind, before);
    for (const seen of [now, before].filter((each) => each !== undefined)) {
      addAll(queue, board.concerned(seen));
      if (board.complete) addAll(networks, networkOf(seen));
    }
  });
}

/** The Network of an object that is no Node's. */
function networkOf({ meta }: Seen): readonly string[] {
  const name = meta.labels[labels.network];
  if (name === undefined || meta.labels[labels.node] !== undefined) return [];
  return [keyOf({ namespace: meta.namespace, name })];
}

function openNetworks(following: Following): Reflector {
  const { board, queue, networks } = following;
  return openOf(following, { kind: kinds.network }, (now, before) => {
    const { meta } = now ?? before ?? {};
    if (meta === undefined) return;
    if (board.complete) networks.add(keyOf(meta));
    if (now === undefined) networks.forget(keyOf(meta));
    const isStatus = now?.meta.generation === before?.meta.generation;
    if (isStatus && !board.isOtherGenesis(now, before)) return;
    addAll(queue, board.inNetwork(meta.namespace, meta.name));
  });
}

function openNodes(following: Following): Reflector {
  const { board, queue, networks } = following;
  return openOf(following, { kind: kinds.node }, (now, before) => {
    const { meta } = now ?? before ?? {};
    if (meta === undefined) return;
    if (before !== undefined && board.isAsked(now, before)) queue.addUrgent(keyOf(meta));
    else if (board.isNews(now, before)) queue.add(keyOf(meta));
    addAll(queue, board.neighbours(now, before));
    const network = board.networkKey(now ?? before);
    if (board.complete && network !== undefined) networks.addAfter(network, SUMS_MS);
    if (now !== undefined) return;
    queue.forget(keyOf(meta));
    board.forget(keyOf(meta));
  });
}

interface Followed extends Pick<ReflectorOptions, "keep"> {
  readonly kind: Kind;
  readonly labelSelector?: string;
}

function openOf(
  { client, watchNamespace: namespace, log }: Following,
  { kind, labelSelector, keep }: Followed,
  changed: ReflectorOptions["changed"],
): Reflector {
  return openReflector({ client, log, pause, selection: { kind, namespace, labelSelector }, keep, changed });
}

function addAll(queue: WorkQueue, keys: readonly string[]): void {
  for (const key of keys) queue.add(key);
}

async function unless(signal: AbortSignal, promise: Promise<unknown>): Promise<void> {
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
