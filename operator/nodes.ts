/** All Nodes and Networks of the cluster: what is seen of them and their objects, and the queues that reconcile them. */
import { keyOf, type NodeResource } from "./api/resource.ts";
import { Board } from "./board.ts";
import { nodeOfMember } from "./build/names.ts";
import type { Channel } from "./control/channel.ts";
import type { Authorities } from "./control/rotation.ts";
import { follow } from "./following.ts";
import type { KubeClient } from "./kube/client.ts";
import { isRace } from "./kube/error.ts";
import { type Clock, pause } from "./observe/clock.ts";
import type { Log } from "./observe/log.ts";
import { messageOf } from "./observe/message-of.ts";
import type { OperatorMetrics } from "./observe/metrics.ts";
import type { NodeFigures } from "./observe/node-metrics.ts";
import { Applier } from "./reconcile/applier.ts";
import { endUnread } from "./reconcile/deletion.ts";
import { createEventRecorder } from "./reconcile/events.ts";
import { figuresOf } from "./reconcile/figures.ts";
import { reconcileNetwork } from "./reconcile/network.ts";
import { Poller } from "./reconcile/poller.ts";
import { leastWaitOf, reconcile } from "./reconcile/reconcile.ts";
import { type OperatorSettings, type Surroundings } from "./reconcile/surroundings.ts";
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
  readonly metrics: Pick<OperatorMetrics, "queue">;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The Nodes. Disposing it ends all work on them. */
export interface Nodes extends AsyncDisposable {
  count(): number;
  ready(): number;
  /** Names that wait, by queue. */
  depths(): Readonly<Record<string, number>>;
  /** How often a Node has been worked on. */
  readonly worked: () => number;
  figures(): readonly NodeFigures[];
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
  const queue = parts.use(createQueue(options, "node", (key) => workOnNode(board, key, surroundings)));
  const networks = parts.use(
    createQueue(options, "network", (key) => workOnNetwork(board, key, surroundings)),
  );
  const poller = parts.use(
    new Poller({
      channel: options.channel,
      keys: () => board.members(),
      gateway: (key) => board.gateway(key),
      asked(key, isDue) {
        if (isDue) board.figuresDue.add(nodeOfMember(key));
        queue.add(nodeOfMember(key));
      },
      everyMs: options.pollMs,
      clock: options.clock,
    }),
  );
  const surroundings: Surroundings = {
    ...options,
    applier,
    beginning: new Set(),
    figuresDue: board.figuresDue,
    meshes: board.meshes,
    refusedGrowths: board.refusedGrowths,
    events: createEventRecorder(options.client, options.clock, options.log),
    find: (kind, key) => board.followed.get(kind)?.get(key),
    node: (key) => board.node(key),
    network: (namespace, name) => board.network(keyOf({ namespace, name })),
    serves: (kind) => board.followed.has(kind),
    nodes: (namespace) => board.nodes(namespace),
    all: (kind) => board.followed.get(kind)?.all() ?? [],
    addresses: board.addresses,
    observed: (key) => poller.get(key),
    look: (key) => poller.look(key),
    wrote: (object) => board.wrote(object),
  };
  await follow({ ...options, parts, board, applier, queue, networks });
  const open = parts.move();
  return {
    count: () => board.nodes().length,
    ready: () => board.nodes().filter(isReady).length,
    depths: () => ({ node: queue.depth, network: networks.depth }),
    worked: () => queue.worked,
    figures: () => figuresOf(board.nodes(), (key) => poller.get(key)),
    [Symbol.asyncDispose]: () => closed(open),
  };
}

/** Whose key is in use is known when all Nodes are. */
const INCOMPLETE_MS = 200;

async function workOnNode(board: Board, key: string, around: Surroundings): Promise<number | undefined> {
  if (!board.complete) return INCOMPLETE_MS;
  const node = board.node(key);
  return node === undefined ? endUnread(board.seen?.get(key), around) : reconcile(node, around);
}

async function workOnNetwork(board: Board, key: string, around: Surroundings): Promise<number | undefined> {
  const network = board.network(key);
  return network && reconcileNetwork(network, around);
}

/** What still waits for an answer then loses its connections with those who own them. */
async function closed(open: AsyncDisposableStack): Promise<void> {
  const patience = new AbortController();
  await Promise.race([open.disposeAsync(), pause(GRACE_MS, patience.signal).catch(() => undefined)]);
  patience.abort();
}

function createQueue(
  { clock, log, metrics }: NodesOptions,
  name: string,
  work: (key: string) => Promise<number | undefined>,
): WorkQueue {
  return new WorkQueue({
    clock,
    chance: Math.random,
    concurrency: WORKERS,
    metrics: metrics.queue(name),
    work,
    leastWait: leastWaitOf,
    failed: (key, error, againMs) => {
      const fields = { [name]: key, error: messageOf(error), againMs };
      if (isRace(error)) log.debug(fields, "another was quicker");
      else log.warn(fields, "not reconciled");
    },
  });
}

function isReady({ status }: NodeResource): boolean {
  return status.conditions?.some(({ type, status: holds }) => type === "Ready" && holds === "True") ?? false;
}
