/** All Nodes of the cluster: what is seen of them and their objects, and the queue that reconciles them. */
import { keyOf, type NodeResource } from "./api/resource.ts";
import { Board } from "./board.ts";
import type { Channel } from "./control/channel.ts";
import type { Authorities } from "./control/rotation.ts";
import type { KubeClient } from "./kube/client.ts";
import { isRace, KubeError } from "./kube/error.ts";
import { openReflector, type Seen } from "./kube/reflector.ts";
import { kinds } from "./kube/resources.ts";
import { type Clock, pause } from "./observe/clock.ts";
import type { Log } from "./observe/log.ts";
import { messageOf } from "./observe/message-of.ts";
import type { OperatorMetrics } from "./observe/metrics.ts";
import { Applier } from "./reconcile/applier.ts";
import { createEventRecorder } from "./reconcile/events.ts";
import { Poller } from "./reconcile/poller.ts";
import { reconcile } from "./reconcile/reconcile.ts";
import { followedKinds, type OperatorSettings, type Surroundings } from "./reconcile/surroundings.ts";
import { WorkQueue } from "./runtime/queue.ts";

/** What it is opened with. */
export interface NodesOptions {
  readonly client: KubeClient;
  readonly channel: Channel;
  readonly authorities: () => Authorities;
  readonly settings: OperatorSettings;
  readonly watchNamespace: string | undefined;
  /** What the operator's own objects are known by. */
  readonly selector: string;
  readonly pollMs: number;
  readonly metrics: Pick<OperatorMetrics, "reconciled">;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The Nodes. Disposing it ends all work on them. */
export interface Nodes extends AsyncDisposable {
  count(): number;
  ready(): number;
  queued(): number;
}

/** Nodes that are reconciled at once. */
const WORKERS = 8;
/** How long work that has begun is waited for at the end. */
const GRACE_MS = 10_000;

/** Opens the reflectors, waits for their first lists and begins to work. */
export async function openNodes(options: NodesOptions): Promise<Nodes> {
  await using parts = new AsyncDisposableStack();
  const board = new Board(options.log);
  const applier = new Applier(options.client);
  const queue: WorkQueue = parts.use(createQueue(options, board, () => surroundings));
  const poller = parts.use(
    new Poller({
      channel: options.channel,
      keys: () => board.nodes().map(({ meta }) => keyOf(meta)),
      gateway: (key) => board.gateway(key),
      asked: (key) => queue.add(key),
      everyMs: options.pollMs,
      clock: options.clock,
    }),
  );
  const surroundings: Surroundings = {
    ...options,
    applier,
    beginning: new Set(),
    events: createEventRecorder(options.client, options.clock, options.log),
    find: (kind, key) => board.followed.get(kind)?.get(key),
    node: (key) => board.node(key),
    nodes: (namespace) => board.nodes(namespace),
    observed: (key) => poller.get(key),
    look: (key) => poller.look(key),
    wrote: (object) => board.wrote(object),
  };
  await follow(options, { parts, board, applier, queue });
  const open = parts.move();
  return {
    count: () => board.nodes().length,
    ready: () => board.nodes().filter(isReady).length,
    queued: () => queue.size,
    async [Symbol.asyncDispose]() {
      // What still waits for an answer then loses its connections with those who own them.
      const patience = new AbortController();
      await Promise.race([open.disposeAsync(), pause(GRACE_MS, patience.signal).catch(() => undefined)]);
      patience.abort();
    },
  };
}

interface Parts {
  readonly parts: AsyncDisposableStack;
  readonly board: Board;
  readonly applier: Applier;
  readonly queue: WorkQueue;
}

/** The Nodes come last: when the first of them is worked on, what it consists of is known. */
async function follow(options: NodesOptions, { parts, board, applier, queue }: Parts): Promise<void> {
  const { client, watchNamespace: namespace, log, selector: labelSelector, signal } = options;
  const shared = { client, log, pause };
  const all = (keys: readonly string[]): void => {
    for (const key of keys) queue.add(key);
  };
  for (const kind of followedKinds) {
    const changed = (now: Seen | undefined, before: Seen | undefined): void => {
      if (now === undefined && before !== undefined) applier.gone(kinds[kind].kind, before);
      for (const seen of [now, before]) if (seen !== undefined) all(board.concerned(seen));
    };
    const selection = { kind: kinds[kind], namespace, labelSelector };
    board.followed.set(kind, parts.use(openReflector({ ...shared, selection, changed })));
  }
  await unless(signal, Promise.all([...board.followed.values()].map(({ synced }) => synced)));
  const changed = (now: Seen | undefined, before: Seen | undefined): void => {
    for (const { meta } of [now, before].filter((seen) => seen !== undefined)) queue.add(keyOf(meta));
    all(board.neighbours(now, before));
    if (now === undefined && before !== undefined) {
      queue.forget(keyOf(before.meta));
      board.forget(keyOf(before.meta));
    }
  };
  board.seen = parts.use(openReflector({ ...shared, selection: { kind: kinds.node, namespace }, changed }));
  await unless(signal, board.seen.synced);
}

function createQueue(options: NodesOptions, board: Board, around: () => Surroundings): WorkQueue {
  const { clock, log, metrics } = options;
  return new WorkQueue({
    clock,
    chance: Math.random,
    concurrency: WORKERS,
    async work(key) {
      const node = board.node(key);
      if (node === undefined) return undefined;
      const began = performance.now();
      const seconds = (): number => (performance.now() - began) / 1000;
      try {
        const again = await reconcile(node, around());
        metrics.reconciled(seconds(), "done");
        return again;
      } catch (error) {
        metrics.reconciled(seconds(), "failed");
        throw error;
      }
    },
    leastWait: (error) => (error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0),
    failed: (node, error, againMs) => {
      const fields = { node, error: messageOf(error), againMs };
      if (isRace(error)) log.debug(fields, "another was quicker");
      else log.warn(fields, "not reconciled");
    },
  });
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

function isReady({ status }: NodeResource): boolean {
  return status.conditions?.some(({ type, status: holds }) => type === "Ready" && holds === "True") ?? false;
}
