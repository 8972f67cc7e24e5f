/** The controllers of Nodes and Networks: informers fill the cluster cache, and work queues run reconciliations. */
import type { NodeResource } from "../api/resource.ts";
import { randomKey } from "../build/identity.ts";
import { nodeOfMember } from "../build/names.ts";
import type { Channel } from "../control/channel.ts";
import type { Authorities } from "../control/rotation.ts";
import type { KubeClient } from "../kube/client.ts";
import { isRace } from "../kube/error.ts";
import { type Clock, monotonicMs, pause } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import type { OperatorMetrics } from "../observe/metrics.ts";
import type { NetworkFigures } from "../observe/network-metrics.ts";
import type { NodeFigures } from "../observe/node-metrics.ts";
import { isForeign } from "../plan/owner.ts";
import { Applier } from "../reconcile/applier.ts";
import { ClusterCache } from "../reconcile/cluster-cache.ts";
import type { OperatorSettings, ReconcileDeps } from "../reconcile/deps.ts";
import { createEventRecorder } from "../reconcile/events.ts";
import { figuresOf, networkFiguresOf } from "../reconcile/figures.ts";
import { chainKey } from "../reconcile/group.ts";
import { HeightPasses } from "../reconcile/height-passes.ts";
import { ReconcileMemory } from "../reconcile/memory.ts";
import { reconcileNetwork } from "../reconcile/network.ts";
import { Poller } from "../reconcile/poller.ts";
import { minWaitOf, reconcile } from "../reconcile/reconcile.ts";
import type { StatusView } from "../reconcile/status-page.ts";
import { reconcileUnreadable } from "../reconcile/unreadable.ts";
import { WorkQueue } from "../runtime/queue.ts";
import { startInformers } from "./informers.ts";
import { watchNamespaceEnds } from "./namespace-ends.ts";

/** Options and dependencies of the controllers. */
export interface ControllersOptions {
  readonly client: KubeClient;
  readonly channel: Channel;
  readonly authorities: () => Authorities;
  readonly settings: OperatorSettings;
  /** Namespaces of the Nodes; all when empty. */
  readonly watchNamespaces: readonly string[];
  /** Label selector of the operator's own objects. */
  readonly selector: string;
  readonly pollMs: number;
  readonly metrics: Pick<OperatorMetrics, "queue">;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Running controllers. Disposing them ends all reconciliations. */
export interface Controllers extends AsyncDisposable {
  /** Returns the number of Nodes. */
  count(): number;
  /** Returns the number of ready Nodes. */
  ready(): number;
  /** Returns the number of waiting keys by queue. */
  depths(): Readonly<Record<string, number>>;
  /** Returns the number of namespaces that cannot be read. */
  missingNamespaces(): number;
  /** Returns the number of Node reconciliations so far. */
  readonly countRuns: () => number;
  figures(): readonly NodeFigures[];
  networks(): readonly NetworkFigures[];
  /** Returns the resources for the status page. */
  status(): StatusView;
}

/** Concurrent reconciliations of a queue. */
const WORKERS = 8;
/** Time that running reconciliations have to finish at shutdown. */
const GRACE_MS = 10_000;

/** Starts the informers, waits for their first lists and starts the work queues. */
export async function openControllers(options: ControllersOptions): Promise<Controllers> {
  const { client, clock, log } = options;
  await using resources = new AsyncDisposableStack();
  const memory = new ReconcileMemory();
  const cache = new ClusterCache({ log, addresses: memory.addresses });
  const applier = new Applier(client, clock, options.settings.operatorId);
  const nodeQueue = resources.use(createQueue(options, "node", (key) => reconcileNodeKey(cache, key, deps)));
  const networkQueue = resources.use(
    createQueue(options, "network", async (key) => {
      const network = cache.network(key);
      return network && reconcileNetwork(network, deps);
    }),
  );
  const poller = resources.use(
    new Poller({
      channel: options.channel,
      keys: () => cache.memberKeys(options.settings.operatorId),
      gateway: (key) => cache.gateway(key),
      onObservation: (key) => nodeQueue.add(nodeOfMember(key)),
      everyMs: options.pollMs,
      clock,
    }),
  );
  resources.use(
    new HeightPasses({
      chains: () => chainsOf(cache, options.settings.operatorId),
      latest: (key) => poller.latest(key),
      onPass(chain, height, nodes) {
        memory.recordCommonHeight(chain, height);
        for (const node of nodes) {
          memory.markFiguresStale(node);
          nodeQueue.add(node);
        }
      },
      everyMs: options.pollMs,
      clock,
    }),
  );
  const events = createEventRecorder(client, clock, log);
  const deps: ReconcileDeps = {
    ...options,
    applier,
    cache,
    memory,
    poller,
    events,
    createKey: randomKey,
    monotonicMs,
  };
  await startInformers({ ...options, pause, resources, cache, memory, applier, nodeQueue, networkQueue });
  resources.use(watchNamespaceEnds({ ...options, pause, cache, nodeQueue }));
  const open = resources.move();
  return {
    count: () => cache.nodes().length,
    ready: () => cache.nodes().filter(isReady).length,
    depths: () => ({ node: nodeQueue.depth, network: networkQueue.depth }),
    missingNamespaces: () => cache.missingNamespaces.length,
    countRuns: () => nodeQueue.runs,
    figures: () => figuresOf(cache.nodes(), (key) => poller.latest(key)),
    networks: () => networkFiguresOf(cache.networks()),
    status: () => ({ nodes: cache.nodes(), networks: cache.networks() }),
    [Symbol.asyncDispose]: () => closeWithin(open, GRACE_MS),
  };
}

/** Groups the Nodes of an operator by their chains. */
function chainsOf(cache: ClusterCache, operator: string): ReadonlyMap<string, readonly NodeResource[]> {
  const own = cache.nodes().filter(({ meta }) => !isForeign(meta, operator));
  return Map.groupBy(own, (node) => chainKey(node, cache));
}

/** Reconciles a Node. One whose objects are not cached yet is added again once they are. */
async function reconcileNodeKey(
  cache: ClusterCache,
  key: string,
  deps: ReconcileDeps,
): Promise<number | undefined> {
  const seen = cache.find("node", key);
  if (seen !== undefined && !cache.isSynced(seen.meta.namespace)) return undefined;
  const node = cache.node(key);
  return node === undefined ? reconcileUnreadable(seen, deps) : reconcile(node, deps);
}

/** Closes the resources. Calls that still wait after the time limit end with their connections. */
async function closeWithin(resources: AsyncDisposableStack, milliseconds: number): Promise<void> {
  const finished = new AbortController();
  const limit = pause(milliseconds, finished.signal).catch(() => undefined);
  await Promise.race([resources.disposeAsync(), limit]);
  finished.abort();
}

function createQueue(
  { clock, log, metrics }: ControllersOptions,
  name: string,
  work: (key: string) => Promise<number | undefined>,
): WorkQueue {
  return new WorkQueue({
    clock,
    chance: Math.random,
    concurrency: WORKERS,
    metrics: metrics.queue(name),
    work,
    minWait: minWaitOf,
    onFailure: (key, error, againMs) => {
      const fields = { [name]: key, error: messageOf(error), againMs };
      if (isRace(error)) log.debug(fields, "conflict with another writer");
      else log.warn(fields, "reconciliation failed");
    },
  });
}

function isReady({ status }: NodeResource): boolean {
  return status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
}
