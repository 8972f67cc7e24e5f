/** The node's JSON-RPC: one registry, a listener per transport, reader threads behind them. */
import type { Accounts } from "../accounts/accounts.ts";
import type { Address } from "../bytes/brands.ts";
import { chainReading, storeReading } from "../calls/chain-reading.ts";
import { InlineCalls } from "../calls/inline-calls.ts";
import { chainLogSource } from "../calls/log-source.ts";
import { RecentLogs, type RecentLogsOptions } from "../calls/recent-logs.ts";
import { limitTraces } from "../calls/traces/trace-admission.ts";
import { storedLoggedReceipts } from "../chain/block-rows.ts";
import type { OpenChain } from "../chain/open-chain.ts";
import { hashBySender } from "../chain/sender-hashes.ts";
import type { Supply } from "../chain/supply.ts";
import { methodOptions } from "../compat/development.ts";
import type { NodeSettings } from "../compat/node-config.ts";
import { type RpcProfile, rpcProfiles } from "../compat/profiles.ts";
import { signersOf } from "../config/rules.ts";
import type { Miner } from "../consensus/miner.ts";
import { type BlsPublicInfo, provePossession } from "../crypto/bls-possession.ts";
import type { Kzg } from "../crypto/kzg.ts";
import type { Gasless } from "../gasless/gasless.ts";
import type { PendingVotes } from "../governance/pending-votes.ts";
import type { ByteCache } from "../jsonrpc/byte-cache.ts";
import { createEndpoint, type RpcEndpoint } from "../jsonrpc/dispatch.ts";
import { createBudget } from "../jsonrpc/dispatch-budget.ts";
import { MemoryBudget } from "../jsonrpc/memory-budget.ts";
import { declareCallMetrics, declareRpcMetrics } from "../jsonrpc/metrics.ts";
import { ALL_MODULES } from "../jsonrpc/modules.ts";
import type { ReaderPool } from "../jsonrpc/reader-pool.ts";
import type { MethodView, Registry, ViewOptions } from "../jsonrpc/registry.ts";
import { createSubscriptionLimit, type SubscriptionLimit } from "../jsonrpc/subscriptions.ts";
import type { AdjustableLog } from "../observe/log.ts";
import type { MemoryWatch } from "../observe/memory-watch.ts";
import type { Metrics } from "../observe/metrics.ts";
import { openProfiler, type Profiler } from "../observe/profiler.ts";
import { defaultsOf } from "../options/rows.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import { ReceiptTexts } from "../presenters/receipt-texts.ts";
import type { ChainFiles } from "../rpc/admin-chain.ts";
import type { AdminListenersDeps } from "../rpc/admin-listeners.ts";
import type { ForkOrigin } from "../rpc/fork-origin.ts";
import { createNodeRegistry, type NodeRegistryDeps } from "../rpc/node-registry.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import { systemClock } from "../runtime/clock.ts";
import { createOwnerRate, type OwnerRate } from "../runtime/owner-rate.ts";
import { openTrieReader } from "../state/trie/generations.ts";
import { declareExposureMetrics, type ExposureDeps, warnOfExposure } from "../transport/exposure.ts";
import { openHttp } from "../transport/http.ts";
import type { HttpLimits } from "../transport/http-limits.ts";
import { openIpc } from "../transport/ipc.ts";
import {
  createListeners,
  type ListenerKind,
  type ListenerPlan,
  type Listeners,
  type ListenersOptions,
} from "../transport/listeners.ts";
import { httpOptions } from "../transport/options.ts";
import { createPprofServer, type PprofServer } from "../transport/pprof-server.ts";
import { openWs, type WsListenerOptions } from "../transport/ws.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { Sidecars } from "../txpool/sidecars.ts";
import { rewardbaseOf } from "./accounts.ts";
import { callOptions, logLimits } from "./call-options.ts";
import type { Copies } from "./copies.ts";
import { type NodeDatabase, triesDirectory } from "./database.ts";
import { type Development, openDevelopment, type StateFiles } from "./development.ts";
import type { MemoryShares } from "./memory-plan.ts";
import { type NodeNetwork, networkId } from "./network.ts";
import type { NodeOptions } from "./options.ts";
import { askedOfReaders, openReaders } from "./readers.ts";

/** Parts of the node that the methods use. */
export interface RpcDeps {
  readonly options: NodeOptions;
  readonly open: OpenChain;
  readonly ballots: PendingVotes;
  readonly database: NodeDatabase;
  readonly pool: TxPool;
  readonly sidecars: Pick<Sidecars, "sidecarAt" | "blob">;
  readonly kzg: Kzg;
  readonly accounts: Accounts;
  readonly nodeKey: NodeKey;
  /** 32 bytes, secret. */
  readonly blsKey: Uint8Array;
  readonly network: NodeNetwork;
  /** Rules of gasless transactions; undefined where there are none. */
  readonly gasless: Gasless | undefined;
  readonly supply: Supply;
  readonly files: ChainFiles;
  readonly copies: Pick<Copies, "checkpoints" | "backups" | "giveaway">;
  readonly metrics: Metrics;
  readonly memory: MemoryWatch;
  readonly log: AdjustableLog;
  readonly clock: AdjustableClock;
  /** Makes the blocks of a development chain; undefined on other nodes. */
  readonly miner: Miner | undefined;
  /** Origin of a fork. */
  readonly origin: ForkOrigin | undefined;
}

/** The open listeners. */
export interface NodeRpc extends AsyncDisposable {
  /** Of a development chain. */
  readonly stateFiles: StateFiles | undefined;
  readonly endpoints: {
    readonly http: string | undefined;
    readonly ws: string | undefined;
    readonly ipc: string | undefined;
  };
}

function budgetsOf({ unsent, calls, answers, answer }: MemoryShares) {
  return {
    unsent: new MemoryBudget(unsent),
    calls: new MemoryBudget(calls),
    maxUnfinished: answers,
    written: new MemoryBudget(Math.max(answer, answers)),
  };
}

/** Opens every listener that the options ask for. Rejects when an address is taken. */
export async function openNodeRpc(surroundings: RpcDeps): Promise<NodeRpc> {
  const { options, log, metrics, memory } = surroundings;
  const profile = rpcProfiles[options.rpc.profile];
  await using parts = new AsyncDisposableStack();
  const onBug = (error: unknown): void => log.error({ error }, "method failed by an internal error");
  const signers = signersOf(surroundings.open.chain.config);
  const readers = parts.use(openReaders({ options, memory, signers }, onBug));
  memory.onTight(() => readers.rest());
  surroundings.database.state.beforeTrieCloses(() => readers.renew());
  const budget = createBudget({
    maxAnswer: options.rpc.maxAnswerBytes,
    ...budgetsOf(options.memory.shares),
    maxBatch: options.rpc.maxBatch,
    ...clientRate(options.rpc.maxClientRate),
    onCall: declareCallMetrics(metrics),
  });
  const { written, calls, unsent } = budget;
  memory.onShort(() => void [written, calls, unsent].find((each) => each.dropLargest()));
  const viewOptions = {
    without: withheldPrivileges(options.rpc),
    withheld: options.rpc.withheldMethods,
    ethAsChain: options.rpc.ethAsChain,
  };
  const development = openDevelopment({ ...surroundings, renewReaders: () => void readers.renew() });
  await development.deps?.fork.settle();
  const bareEndpoint = (view: MethodView, pool: ReaderPool): RpcEndpoint =>
    createEndpoint({ view, budget, onBug, readers: pool });
  const endpoint = (view: MethodView, pool: ReaderPool): RpcEndpoint =>
    development.follow(bareEndpoint(view, pool));
  const shared = options.rpc.unsafeDebugOverIpcOnly ? limitTraces(readers, options.rpc.maxTraces) : readers;
  const subscriptionLimit = createSubscriptionLimit(
    options.ws?.maxSubscriptions,
    options.memory.shares.subscriptions,
  );
  declareRpcMetrics(metrics, budget, subscriptionLimit);
  const listeners: Listeners = parts.use(
    createListeners({
      log,
      endpoint: (modules) => endpoint(registry.view(modules, viewOptions), shared),
      open: listenerOpeners(options, subscriptionLimit, (kind) => listeners.url(kind)),
      keepStoppedMs: profile.keepsStopped
        ? (options.http ?? defaultsOf(httpOptions)).idleTimeoutMs
        : undefined,
      onOpen: (exposed) => exposed && warnOfExposure(exposed, exposure, log),
    }),
  );
  const exposure = exposureOf(surroundings, listeners);
  declareExposureMetrics(metrics, exposure);
  const configured = configuredPlans(options, profile);
  const profiler = parts.use(openProfiler());
  const pprofServer = parts.use(createPprofServer({ profiler, metrics }));
  const control = {
    listeners,
    subscriptionLimit,
    configured,
    log,
    profiler,
    pprofServer,
    keptBytes: budget.byteCache,
    development: development.deps,
  };
  const registry: Registry = nodeRegistry(surroundings, { ...control, ...askedOfReaders(readers) });
  if (configured.http !== undefined) await listeners.start("http", configured.http);
  if (configured.ws !== undefined) await listeners.start("ws", configured.ws);
  const { ipc } = options;
  const local = { ethAsChain: options.rpc.ethAsChain, isLocal: true };
  const allMethods = registry.view(ALL_MODULES, local);
  const all = endpoint(allMethods, readers);
  development.traceWith(bareEndpoint(allMethods, readers));
  const opened = ipc && parts.use(await openIpc({ path: ipc.path, endpoint: all, subscriptionLimit }));
  if (opened !== undefined) log.info({ url: opened.url }, "IPC endpoint opened");
  const open = parts.move();
  return {
    endpoints: { http: listeners.url("http"), ws: listeners.url("ws"), ipc: opened?.url },
    stateFiles: development.stateFiles,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Seconds of calls that a client may make at once. */
const BURST_SECONDS = 5;
/** Clients whose rates are tracked. */
const RATED_CLIENTS = 65_536;

/** Returns the rate of calls of a client as a part of a budget; 0 is no limit. */
function clientRate(perSecond: number): { readonly isWithinRate?: OwnerRate } {
  if (perSecond === 0) return {};
  const each = { perSecond, burst: BURST_SECONDS * perSecond };
  return { isWithinRate: createOwnerRate({ each, owners: RATED_CLIENTS }, systemClock) };
}

/** Returns the privileges that HTTP and WebSocket do not serve, whatever modules they have. */
function withheldPrivileges({
  privilegesOverIpcOnly,
  unsafeDebugOverIpcOnly,
}: NodeOptions["rpc"]): ViewOptions["without"] {
  if (privilegesOverIpcOnly) return "privileges";
  return unsafeDebugOverIpcOnly ? "debug-privileges" : undefined;
}

function exposureOf({ options, accounts }: RpcDeps, listeners: Listeners): ExposureDeps {
  return {
    listExposed: () => listeners.listExposed(),
    countUnlocked: () => accounts.wallets().filter(({ status }) => status === "Unlocked").length,
    keysOverIpcOnly: options.rpc.privilegesOverIpcOnly,
  };
}

/** Those that have half requests: HTTP and WebSocket. */
const KINDS_OF_LISTENERS = 2;

function listenerOpeners(
  { http, ws, rpc, memory: { shares } }: NodeOptions,
  subscriptionLimit: SubscriptionLimit,
  urlOf: Listeners["url"],
): ListenersOptions["open"] {
  const maxMessage = rpc.maxRequestBytes;
  const page = http?.page === true ? { wsPort: () => /\d+$/.exec(urlOf("ws") ?? "")?.[0] } : undefined;
  const maxBuffered = Math.floor(shares.halves / KINDS_OF_LISTENERS);
  return {
    http: ({ host, port, origins: cors, virtualHosts }, endpoint) =>
      openHttp({
        host,
        port,
        endpoint,
        cors,
        virtualHosts,
        page,
        limits: { ...httpLimits(http, maxMessage), maxBuffered },
      }),
    ws: ({ host, port, origins }, endpoint) =>
      openWs({
        ...wsLimits(ws),
        host,
        port,
        origins,
        endpoint,
        pageUrl: page && (() => urlOf("http")),
        maxMessage,
        maxBuffered,
        subscriptionLimit,
      }),
  };
}

function httpLimits(http: NodeOptions["http"], maxBody: number): Partial<HttpLimits> {
  if (http === undefined) return { maxBody };
  return {
    maxBody,
    readMs: http.readTimeoutMs,
    writeMs: http.writeTimeoutMs,
    idleMs: http.idleTimeoutMs,
    executionMs: http.executionTimeoutMs,
  };
}

function wsLimits(
  ws: NodeOptions["ws"],
): Pick<WsListenerOptions, "maxConnections" | "readDeadlineMs" | "limits"> {
  if (ws === undefined) return {};
  const { maxConnections, readDeadlineMs, writeDeadlineMs } = ws;
  return {
    maxConnections,
    readDeadlineMs,
    ...(writeDeadlineMs > 0 ? { limits: { writeMs: writeDeadlineMs } } : {}),
  };
}

/** A plan for each kind of listener that the options ask for. */
type ConfiguredPlans = Readonly<Record<ListenerKind, ListenerPlan | undefined>>;

/** Returns the listeners that the node's own options ask for. One that names no modules has those of the profile. */
export function configuredPlans(
  { http, ws }: Pick<NodeOptions, "http" | "ws">,
  { defaultModules }: RpcProfile,
): ConfiguredPlans {
  return {
    http: http && { ...http, modules: http.modules ?? defaultModules, origins: http.corsOrigins },
    ws: ws && { ...ws, modules: ws.modules ?? defaultModules, virtualHosts: [] },
  };
}

type Control = Pick<AdminListenersDeps, "listeners" | "subscriptionLimit" | "log"> & {
  readonly configured: ConfiguredPlans;
  readonly keptBytes: ByteCache;
  readonly profiler: Profiler;
  readonly pprofServer: PprofServer;
  readonly development: Development["deps"];
} & ReturnType<typeof askedOfReaders>;

function nodeRegistry(
  surroundings: RpcDeps,
  { configured, profiler, pprofServer, development, ...control }: Control,
): Registry {
  const {
    options,
    open: { chain, governance, writer },
    ballots,
    database,
    pool,
    sidecars,
    accounts,
    nodeKey,
    blsKey,
    network,
    supply,
    files,
    copies,
  } = surroundings;
  const profile = rpcProfiles[options.rpc.profile];
  const setHead = (number: number): Promise<void> => writer.exclusively(() => writer.setHead(number));
  const rewardbase = (): Uint8Array | undefined => rewardbaseOf(options, accounts);
  const limits = logLimits(options.rpc);
  const inlineCalls = new InlineCalls();
  const inlineSearches = options.development === undefined ? undefined : new InlineCalls();
  const recent = openRecentLogs(surroundings, { keptBytes: control.keptBytes, inlineCalls, limits });
  return createNodeRegistry({
    ...control,
    files,
    ...copies,
    supply,
    chain,
    governance,
    ballots,
    proofs: proofDeps(surroundings, inlineCalls),
    migration: database.state.migration,
    nodeCache: database.nodeCache,
    rewardbase,
    nodeConfig: profile.nodeConfig(nodeSettings(surroundings, rewardbase())),
    pool,
    sidecars,
    accounts,
    ...methodOptions(options.rpc.profile, options.development !== undefined),
    listenerDefaults: profile.listenerDefaults({ http: configured.http ?? {}, ws: configured.ws ?? {} }),
    clientName: network.p2p.self.name,
    networkId: networkId(options, { chain }),
    dataDirectory: options.paths.dataDirectory,
    address: nodeKey.address,
    possession: possessionOf(blsKey),
    p2p: network.p2p,
    sync: network.protocol,
    auction: network.auction,
    gasless: surroundings.gasless,
    filterLimits: { bytes: options.memory.shares.filters },
    maxQueuedEvents: options.memory.shares.events,
    ethFeeCap: options.rpc.ethFeeCap,
    addressIndex: options.followers.addressIndex ? database.store : undefined,
    receiptWait: { defaultMs: options.rpc.receiptWaitMs, maxMs: options.rpc.maxReceiptWaitMs },
    receiptTexts: new ReceiptTexts(chain, textBytes(options)),
    logs: { open: () => chainLogSource(chain), limits, recent },
    calls: { open: () => chainReading(chain), ...callOptions(options.rpc), inlineCalls, inlineSearches },
    debug: {
      open: storeReading(database.store),
      ...callOptions(options.rpc),
      maxBytes: options.rpc.maxAnswerBytes,
    },
    hashBySender: options.followers.senderHashes ? (hash) => hashBySender(database.store, hash) : undefined,
    process: {
      profiler,
      metrics: surroundings.metrics,
      pprofServer,
      setLogLevel: (level) => surroundings.log.setLevel(level),
      store: database.store,
    },
    setHead,
    ...development,
  });
}

/** Returns the memory of receipts as JSON, and the same for recent logs. */
function textBytes({ memory }: RpcDeps["options"]): number {
  return memory.shares.texts / 2;
}

function openRecentLogs(
  { options, open: { chain }, database }: RpcDeps,
  deps: Pick<RecentLogsOptions, "keptBytes" | "inlineCalls" | "limits">,
): RecentLogs {
  const loggedReceipts = (number: number) => storedLoggedReceipts(database.store, number);
  return new RecentLogs({ chain, loggedReceipts, maxBytes: textBytes(options), ...deps });
}

function proofDeps({ options, open, database }: RpcDeps, calls: InlineCalls): NodeRegistryDeps["proofs"] {
  return {
    openTrie: (generation) => openTrieReader(triesDirectory(options), generation),
    inlineProofs: { chain: open.chain, state: database.state, calls },
  };
}

/** The proof takes a while: it is made once, when somebody asks. */
function possessionOf(key: Uint8Array): () => Promise<BlsPublicInfo> {
  let info: Promise<BlsPublicInfo> | undefined;
  return () => {
    info ??= provePossession(key);
    return info;
  };
}

/** Returns the settings that methods show, out of the node's options. */
function nodeSettings(
  { options, open: { chain }, network, gasless }: RpcDeps,
  rewardbase: Address | undefined,
): NodeSettings {
  const { paths, pool, rpc, state, followers, ws } = options;
  return {
    networkId: networkId(options, { chain }),
    archive: state.archive === true,
    senderHashes: followers.senderHashes,
    unitPrice: chain.config.unitPrice,
    dataDirectory: paths.dataDirectory,
    instanceDirectory: paths.instance,
    journal: pool.journal ?? "",
    wsEndpoint: ws === undefined ? "" : `${ws.host}:${ws.port}`,
    pool,
    rpc,
    rewardbase,
    gasless: { ...options.gasless, isDisabled: gasless === undefined },
    auction: { ...options.auction, isDisabled: network.auction === undefined },
  };
}
