/** The node's JSON-RPC: one registry, a listener per transport, reader threads behind them. */
import { extname } from "node:path";
import type { Accounts } from "./accounts/accounts.ts";
import type { Chain } from "./chain/chain.ts";
import type { NodeOptions } from "./config/options.ts";
import { chainDirectory } from "./database.ts";
import { type NodeNetwork, networkId } from "./node-network.ts";
import type { Log } from "./observe/log.ts";
import type { Metrics } from "./observe/metrics.ts";
import type { NodeKey } from "./p2p/node-key.ts";
import type { ReaderData } from "./reader.ts";
import { createBudget, createEndpoint, type DispatchBudget, type Endpoint } from "./rpc/dispatch.ts";
import { openHttp } from "./rpc/http.ts";
import { openIpc } from "./rpc/ipc.ts";
import type { Listener } from "./rpc/listener.ts";
import { createNodeRegistry } from "./rpc/methods/all.ts";
import { declareRpcMetrics } from "./rpc/metrics.ts";
import { ALL_MODULES } from "./rpc/modules.ts";
import { rpcProfiles } from "./rpc/profiles.ts";
import { openReaderPool, type ReaderPool } from "./rpc/reader-pool.ts";
import type { Registry } from "./rpc/registry.ts";
import { DEFAULT_SUBSCRIPTION_LIMIT, type SubscriptionLimit } from "./rpc/subscriptions.ts";
import { chainLogSource } from "./rpc/views/log-source.ts";
import { openWs } from "./rpc/ws.ts";
import type { TxPool } from "./txpool/pool.ts";

/** What the methods stand on. */
export interface RpcSurroundings {
  readonly options: NodeOptions;
  readonly chain: Chain;
  readonly pool: TxPool;
  readonly accounts: Accounts;
  readonly nodeKey: NodeKey;
  readonly network: NodeNetwork;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** The open listeners. */
export interface NodeRpc extends AsyncDisposable {
  readonly endpoints: {
    readonly http: string | undefined;
    readonly ws: string | undefined;
    readonly ipc: string | undefined;
  };
}

/** Opens every listener that the options ask for. Rejects when an address is taken. */
export async function openNodeRpc(surroundings: RpcSurroundings): Promise<NodeRpc> {
  const { options, log } = surroundings;
  await using parts = new AsyncDisposableStack();
  const onBug = (error: unknown): void => log.error({ error }, "a method failed by a defect");
  const readers = parts.use(
    openReaderPool({
      entry: new URL(`./reader${extname(import.meta.url)}`, import.meta.url),
      workerData: readerData(options),
      deadlineMs: options.rpc.logsDeadlineMs,
      onBug,
    }),
  );
  const registry = nodeRegistry(surroundings);
  const budget = createBudget();
  declareRpcMetrics(surroundings.metrics, budget);
  const shared = { budget, onBug, readers, registry };
  const subscriptionLimit = { perConnection: options.ws?.maxSubscriptions ?? DEFAULT_SUBSCRIPTION_LIMIT };
  const [http, ws, ipc] = await openListeners(parts, options, shared, subscriptionLimit);
  for (const [name, listener] of Object.entries({ HTTP: http, WebSocket: ws, IPC: ipc })) {
    if (listener !== undefined) log.info({ url: listener.url }, `${name} endpoint opened`);
  }
  const open = parts.move();
  return {
    endpoints: { http: http?.url, ws: ws?.url, ipc: ipc?.url },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

interface Shared {
  readonly budget: DispatchBudget;
  readonly onBug: (error: unknown) => void;
  readonly readers: ReaderPool;
  readonly registry: Registry;
}

type Opened = Listener | undefined;

async function openListeners(
  parts: AsyncDisposableStack,
  { http, ws, ipc, rpc }: NodeOptions,
  shared: Shared,
  subscriptionLimit: SubscriptionLimit,
): Promise<[Opened, Opened, Opened]> {
  const endpointFor = (modules: readonly string[] | typeof ALL_MODULES): Endpoint =>
    createEndpoint({ ...shared, view: shared.registry.view(modules) });
  return [
    http && parts.use(await openHttp(httpListener(http, rpc.maxRequestBytes, endpointFor(http.modules)))),
    ws &&
      parts.use(
        await openWs({
          ...ws,
          endpoint: endpointFor(ws.modules),
          maxMessage: rpc.maxRequestBytes,
          subscriptionLimit,
          ...(ws.writeDeadlineMs > 0 ? { limits: { writeMs: ws.writeDeadlineMs } } : {}),
        }),
      ),
    ipc &&
      parts.use(await openIpc({ path: ipc.path, endpoint: endpointFor(ALL_MODULES), subscriptionLimit })),
  ];
}

function httpListener(
  http: NonNullable<NodeOptions["http"]>,
  maxBody: number,
  endpoint: Endpoint,
): Parameters<typeof openHttp>[0] {
  return {
    host: http.host,
    port: http.port,
    endpoint,
    cors: http.corsOrigins,
    virtualHosts: http.virtualHosts,
    limits: {
      maxBody,
      readMs: http.readTimeoutMs,
      writeMs: http.writeTimeoutMs,
      idleMs: http.idleTimeoutMs,
      executionMs: http.executionTimeoutMs,
    },
  };
}

function nodeRegistry({ options, chain, pool, accounts, nodeKey, network }: RpcSurroundings): Registry {
  return createNodeRegistry({
    chain,
    pool,
    accounts,
    profile: rpcProfiles[options.rpc.profile],
    clientName: network.p2p.self.name,
    networkId: networkId(options, { chain }),
    dataDirectory: options.paths.dataDirectory,
    address: nodeKey.address,
    p2p: network.p2p,
    sync: network.protocol,
    logs: { open: () => chainLogSource(chain), maxLogs: options.rpc.maxLogs },
  });
}

function readerData(options: NodeOptions): ReaderData {
  return { directory: chainDirectory(options), maxLogs: options.rpc.maxLogs };
}
