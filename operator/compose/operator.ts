/**
 * The composition root: opens all parts of the operator in order and closes them in reverse order. Informers
 * add the keys of changed objects to work queues, and each key is reconciled by one worker.
 */
import { FIELD_MANAGER, labels } from "../api/names.ts";
import type { Channel } from "../control/channel.ts";
import { openOperatorChannel } from "../control/operator-channel.ts";
import { loadAccess } from "../kube/access.ts";
import { KubeError } from "../kube/error.ts";
import type { TransportOptions } from "../kube/transport.ts";
import { type Clock, systemClock } from "../observe/clock.ts";
import { openHealth, openListener } from "../observe/health.ts";
import type { Log } from "../observe/log.ts";
import { createMetrics, type MetricSources } from "../observe/metrics.ts";
import { type OperatorSettings } from "../reconcile/deps.ts";
import { statusPage } from "../reconcile/status-page.ts";
import { openCompaction } from "../runtime/compaction.ts";
import { type Leadership } from "../runtime/leader.ts";
import { AuthorityKeeper } from "./authority-secret.ts";
import { type Controllers, openControllers } from "./controllers.ts";
import { type DefinitionCheck, openDefinitionCheck } from "./definition-check.ts";
import { openLeaderClient } from "./leader-client.ts";
import { assignsIds } from "./pod-defaults.ts";

/** Options of an operator. */
export interface OperatorOptions extends OperatorSettings {
  /** Name of the Lease, one for each release. */
  readonly lease: string;
  /** Namespaces of the Nodes; all when empty. */
  readonly watchNamespaces: readonly string[];
  readonly health: { readonly host: string; readonly port: number };
  /** Address of the status page; there is none when absent. */
  readonly status?: { readonly host: string; readonly port: number } | undefined;
  /** True when the cluster is asked whether it assigns user ids to pods. */
  readonly detectsIds?: boolean;
  readonly pollMs: number;
  /** Identity of this process in the leader election. */
  readonly identity: string;
  readonly log: Log;
}

/** A running operator. */
export interface Operator extends AsyncDisposable {
  readonly healthPort: number;
  /** Resolves with the reason when the operator cannot continue. */
  readonly failure: Promise<Error>;
}

/** Label selector of all objects that the operator creates. */
export const SELECTOR = `${labels.managedBy}=${FIELD_MANAGER}`;

/** Interval of the comparison of the definitions. */
const DEFINITIONS_MS = 600_000;

/** Opens an operator. Resolves once this process is the leader and the controllers run. */
export async function openOperator(options: OperatorOptions, signal: AbortSignal): Promise<Operator> {
  const { log, operatorNamespace } = options;
  const clock: Clock = systemClock;
  await using parts = new AsyncDisposableStack();
  let nodes: Controllers | undefined;
  let definitions: DefinitionCheck | undefined;
  let host = "";
  const metrics = createMetrics(sourcesOf(() => ({ host, nodes, definitions })));
  let isReached = false;
  // A candidate is ready too: it would lead if it could.
  const ready = () => isReached && !signal.aborted;
  const health = parts.use(await openHealth({ ...options.health, ready, metrics }));
  if (options.status !== undefined)
    parts.use(await openStatus(options.status, () => statusPage(nodes?.status())));
  const access = await loadAccess(() => clock.now());
  host = new URL(access.origin).host;
  const onAnswer: TransportOptions["onAnswer"] = (method, status) => metrics.request(method, status);
  const onReach = (isNow: boolean): void => {
    isReached = isNow;
  };
  const { leadership, client } = parts.use(
    await openLeaderClient({ ...options, access, onAnswer, onReach }, signal),
  );
  definitions = parts.use(await openDefinitionCheck({ client, log, intervalMs: DEFINITIONS_MS }));
  const keeper = parts.use(await AuthorityKeeper.open({ client, namespace: operatorNamespace, clock, log }));
  const authorities = () => keeper.authorities();
  const channel = parts.use(openOperatorChannel(authorities, () => clock.now()));
  nodes = parts.use(
    await openControllers({
      client,
      channel: whileLeading(channel, leadership),
      authorities,
      settings: options.detectsIds === true ? { ...options, assignsIds: await assignsIds(client) } : options,
      watchNamespaces: options.watchNamespaces,
      selector: SELECTOR,
      pollMs: options.pollMs,
      metrics,
      clock,
      log,
      signal: either(signal, leadership.lost),
    }),
  );
  parts.use(openCompaction(nodes.countRuns));
  log.info({ server: access.origin, nodes: nodes.count(), healthPort: health.port }, "operator opened");
  const open = parts.move();
  return {
    healthPort: health.port,
    failure: leadership.lost,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** No script runs in the page, it loads nothing, and no other page may frame it. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Opens the listener of the status page, which answers requests for the loopback address alone. */
function openStatus(
  address: { readonly host: string; readonly port: number },
  page: () => string,
): Promise<AsyncDisposable> {
  return openListener({
    ...address,
    routes: { "/": () => [200, "text/html; charset=utf-8", page()] },
    headers: PAGE_HEADERS,
    hosts: ["localhost", "127.0.0.1", "[::1]"],
  });
}

/** Returns the sources of metrics, which are empty until the controllers run. */
function sourcesOf(
  state: () => {
    readonly host: string;
    readonly nodes: Controllers | undefined;
    readonly definitions: DefinitionCheck | undefined;
  },
): MetricSources {
  return {
    host: () => state().host,
    depths: () => state().nodes?.depths() ?? {},
    nodes: () => state().nodes?.count() ?? 0,
    readyNodes: () => state().nodes?.ready() ?? 0,
    missingFields: () => state().definitions?.missing(),
    missingNamespaces: () => state().nodes?.missingNamespaces() ?? 0,
    leading: () => state().nodes !== undefined,
    figures: () => state().nodes?.figures() ?? [],
    networks: () => state().nodes?.networks() ?? [],
  };
}

/** Restricts a channel to the time in which this process is the leader. */
function whileLeading(channel: Channel, leadership: Leadership): Channel {
  return {
    async call(gateway, method, ...params) {
      if (!leadership.holds())
        throw new KubeError("not-leading", "this process is not the leader and calls no nodes");
      return channel.call(gateway, method, ...params);
    },
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}

/** Returns a signal that is aborted by `signal` or by the failure. */
function either(signal: AbortSignal, failure: Promise<Error>): AbortSignal {
  const failed = new AbortController();
  void failure.then((error) => failed.abort(error));
  return AbortSignal.any([signal, failed.signal]);
}
