/** Options from flags: checks the values against each other, converts them to base units and groups them. */
import type { FlagName, FlagValues } from "./flags.ts";
import type { ResolvedFlags } from "./flags-values.ts";
import { memoryOptions } from "./memory-options.ts";
import type { MemoryPlan } from "./memory-plan.ts";
import type {
  BootNodeOptions,
  DiscoveryFlags,
  HttpFlags,
  NetworkFlags,
  NodeOptions,
  PoolFlags,
  RpcFlags,
  StateFlags,
  WsFlags,
} from "./options.ts";
import { OptionError } from "./options-error.ts";
import { type HostSystem, ipcPath, nodePaths, resolvePath } from "./options-paths.ts";

/** Options of a node and warnings for the operator. */
export interface CheckedOptions {
  readonly options: NodeOptions;
  readonly warnings: readonly string[];
}

const MEBIBYTE = 1 << 20;
const PEB_PER_KLAY = 10n ** 18n;
/** Maximum delay of a Node.js timer, 24 days; a longer one fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Checks and groups the flags of a command. Throws `OptionError`. */
export function nodeOptions(command: string, resolved: ResolvedFlags, host: HostSystem): CheckedOptions {
  const { values } = resolved;
  refuseClashes(resolved);
  const warnings = [...resolved.warnings];
  warnOfFlagsWithoutEffect(resolved, warnings);
  const paths = nodePaths(values, host);
  const memory = memoryOptions(resolved, host, warnings);
  const options: NodeOptions = {
    type: values.type,
    identity: values.identity,
    networkId: values.networkid,
    publicNetwork: publicNetwork(values),
    paths,
    nodeKey: values.nodekeyhex,
    blsKey: { given: values["bls-nodekeyhex"], named: resolveOptional(values["bls-nodekey"], host) },
    network: networkFlags(command, values, warnings),
    rpc: rpcFlags(values, memory),
    http: values.rpc ? httpFlags(values, warnings) : undefined,
    ws: values.ws ? wsFlags(values) : undefined,
    ipc: values.ipcdisable ? undefined : { path: ipcPath(values.ipcpath, paths.dataDirectory, host) },
    metrics: metricsOptions(command, values, warnings),
    pool: poolFlags(values, paths.instance),
    state: stateFlags(values),
    memory,
    disk: { minBytes: values["db.min-free"] * MEBIBYTE },
    consensus: {
      rewardbase: values.rewardbase,
      extraData: values.extradata,
      intervalMs: values["block-generation-interval"] * 1_000,
      timeLimitMs: values["block-generation-time-limit"],
      doppelganger:
        values["consensus.doppelganger"] === "off"
          ? undefined
          : {
              listenMs: timerMs(values["consensus.doppelganger-listen"]),
              clear: values["consensus.doppelganger-clear"],
            },
      minHeight: values["consensus.min-height"],
    },
    accounts: accountOptions(values),
    log: { level: logLevel(values.verbosity), format: values["log.format"] },
    logFile: logFile(values, host, warnings),
    development:
      command === "dev" ? { accounts: values.accounts, balance: values.balance * PEB_PER_KLAY } : undefined,
  };
  return { options, warnings };
}

function resolveOptional(path: string | undefined, host: HostSystem): string | undefined {
  return path ? resolvePath(path, host) : undefined;
}

function publicNetwork({ mainnet, kairos }: FlagValues): NodeOptions["publicNetwork"] {
  if (mainnet) return "mainnet";
  return kairos ? "kairos" : undefined;
}

function accountOptions({ lightkdf, v3, unlock, password }: FlagValues): NodeOptions["accounts"] {
  return { lightKdf: lightkdf, keyFileVersion: v3 ? 3 : 4, unlock, passwordFile: password };
}

function refuseClashes(resolved: ResolvedFlags): void {
  const { given, values } = resolved;
  const both = (a: FlagName, b: FlagName) => given.has(a) && given.has(b);
  for (const [file, text] of [
    ["nodekey", "nodekeyhex"],
    ["bls-nodekey", "bls-nodekeyhex"],
  ] as const)
    if (both(file, text))
      throw new OptionError("clash", `Options "${file}" and "${text}" are mutually exclusive`);
  refuseTwoNetworks(resolved);
  if (values.ipcdisable && given.has("ipcpath")) {
    throw new OptionError("clash", "Flags --ipcdisable, --ipcpath can't be used at the same time");
  }
  if (values["state.live-pruning"] && values.gcmode === "archive") {
    throw new OptionError(
      "clash",
      "--gcmode archive keeps all states, --state.live-pruning deletes old ones",
    );
  }
  const { first, last } = values;
  if (first !== undefined && last !== undefined && first > last) {
    throw new OptionError("clash", `--first ${first} is after --last ${last}`);
  }
  refuseSharedPorts(values);
}

function refuseTwoNetworks({ given, values: { kairos, mainnet } }: ResolvedFlags): void {
  const named = [kairos ? "kairos" : "", mainnet ? "mainnet" : "", given.has("networkid") ? "networkid" : ""];
  const [first, second] = named.filter((name) => name !== "");
  if (second !== undefined)
    throw new OptionError("clash", `--${first} and --${second} must not be set together`);
}

function refuseSharedPorts(values: FlagValues): void {
  const listeners: { name: FlagName; port: number; on: boolean }[] = [
    { name: "rpcport", port: values.rpcport, on: values.rpc },
    { name: "wsport", port: values.wsport, on: values.ws },
    { name: "prometheusport", port: values.prometheusport, on: values.metrics && values.prometheus },
    { name: "port", port: values.port ?? DEFAULT_PORT, on: values.multichannel },
    { name: "subport", port: values.subport, on: values.multichannel },
  ];
  const seen = new Map<number, FlagName>();
  for (const { name, port, on } of listeners) {
    if (!on || port === 0) continue;
    const other = seen.get(port);
    if (other) throw new OptionError("clash", `--${other} and --${name} are both ${port}`);
    seen.set(port, name);
  }
}

/** Warns of flags that are accepted for compatibility with the Go node and have no effect. */
function warnOfFlagsWithoutEffect({ given, values }: ResolvedFlags, warnings: string[]): void {
  if (given.has("srvtype") && values.srvtype === "fasthttp") {
    warnings.push("The fasthttp option is deprecated. Instead, the server will start with the http type");
  }
  if (given.has("rpc.concurrencylimit")) warnings.push("--rpc.concurrencylimit does nothing");
}

const DEFAULT_PORT = 32_323;
const DEFAULT_PENDING = 50;

/** Groups the flags of the network. A development chain listens for peers only when a port is given. */
function networkFlags(command: string, values: FlagValues, warnings: string[]): NetworkFlags {
  return {
    ...discoveryFlags(values, warnings),
    discovers: !values.nodiscover,
    port: values.port ?? (command === "dev" ? undefined : DEFAULT_PORT),
    subPort: values.multichannel ? values.subport : undefined,
    resendMs: timerMs(values["txresend.interval"] * 1_000),
    maxPeers: values.maxconnections,
    maxPendingPeers: values.maxpendpeers === 0 ? DEFAULT_PENDING : values.maxpendpeers,
  };
}

/** Groups the flags of node discovery, of a node or a boot node. */
export function discoveryFlags(values: FlagValues, warnings: string[]): DiscoveryFlags {
  const { bootnodes, netrestrict, nat } = values;
  if (nat === "any" || nat === "upnp" || nat === "pmp")
    warnings.push(
      `--nat ${nat} does not configure the router: open the port there and set the address with --nat extip:IP`,
    );
  return {
    bootNodes: bootnodes,
    netRestrict: netrestrict,
    externalIp: typeof nat === "string" ? undefined : nat.ip,
  };
}

function rpcFlags(values: FlagValues, { shares }: MemoryPlan): RpcFlags {
  return {
    profile: values["rpc.profile"],
    maxRequestBytes: values.maxRequestContentLength,
    maxLogs: values["api.filter.getLogs.maxitems"],
    logsDeadlineMs: timerMs(values["api.filter.getLogs.deadline"]),
    gasCap: values["rpc.gascap"],
    ethFeeCap: values["rpc.ethtxfeecap"],
    evmTimeoutMs: timerMs(values["rpc.evmtimeout"] || MAX_TIMER_MS),
    maxAnswerBytes: shares.answer,
    privilegesOverIpcOnly: values["rpc.ipc-only-privileges"],
    unsafeDebugOverIpcOnly: values["rpc.unsafe-debug.disable"],
    maxTraces: values["rpc.unsafe-debug.heavy-debug.request-limit"],
    ethAsChain: values["rpc.eth.noncompatible"],
  };
}

function httpFlags(values: FlagValues, warnings: string[]): HttpFlags {
  return {
    host: values.rpcaddr,
    port: values.rpcport,
    modules: values.rpcapi,
    corsOrigins: values.rpccorsdomain,
    virtualHosts: values.rpcvhosts,
    readTimeoutMs: timeout("rpcreadtimeout", values.rpcreadtimeout, 30, warnings),
    writeTimeoutMs: timeout("rpcwritetimeout", values.rpcwritetimeout, 30, warnings),
    idleTimeoutMs: timeout("rpcidletimeout", values.rpcidletimeout, 120, warnings),
    executionTimeoutMs: timeout("rpcexecutiontimeout", values.rpcexecutiontimeout, 30, warnings),
  };
}

/** Replaces a timeout below one second by the default, as the Go node does (`networks/rpc/http.go@v2.2.2`). */
function timeout(name: FlagName, seconds: number, fallback: number, warnings: string[]): number {
  if (seconds >= 1) return timerMs(seconds * 1_000);
  warnings.push(`--${name} ${seconds} is below one second, ${fallback} is used`);
  return fallback * 1_000;
}

function timerMs(ms: number): number {
  return Math.min(ms, MAX_TIMER_MS);
}

function wsFlags(values: FlagValues): WsFlags {
  return {
    host: values.wsaddr,
    port: values.wsport,
    modules: values.wsapi,
    origins: values.wsorigins,
    maxSubscriptions: values.wsmaxsubscriptionperconn,
    maxConnections: values.wsmaxconnections,
    readDeadlineMs: timerMs(values.wsreaddeadline * 1_000),
    writeDeadlineMs: timerMs(values.wswritedeadline * 1_000),
  };
}

/** Prometheus listens on all interfaces, that of a development chain on loopback. */
function metricsOptions(command: string, values: FlagValues, warnings: string[]): NodeOptions["metrics"] {
  if (values.prometheus && !values.metrics) warnings.push("--prometheus does nothing without --metrics");
  if (!values.metrics || !values.prometheus) return undefined;
  return { host: command === "dev" ? "127.0.0.1" : "0.0.0.0", port: values.prometheusport };
}

function poolFlags(values: FlagValues, instance: string): PoolFlags {
  const journal = values["txpool.journal"];
  const inside = journal !== "" && !/[\\/]/.test(journal);
  return {
    pendingPerAccount: values["txpool.exec-slots.account"],
    pendingTotal: values["txpool.exec-slots.all"],
    queuedPerAccount: values["txpool.nonexec-slots.account"],
    queuedTotal: values["txpool.nonexec-slots.all"],
    lifetimeMs: values["txpool.lifetime"],
    keepLocals: values["txpool.keeplocals"],
    noLocals: values["txpool.nolocals"],
    journal: inside ? `${instance}/${journal}` : journal || undefined,
    journalIntervalMs: timerMs(values["txpool.journal-interval"]),
    allowLocalAnchoring: values["txpool.allow-local-anchortx"],
    denyRemote: values["txpool.deny.remotetx"],
    throttleSpam: values.type === "proxy" && !values["txpool.spamthrottler.disable"],
  };
}

/** Default of the Go node: two days of blocks. */
const PRUNING_RETENTION = 172_800;

function stateFlags(values: FlagValues): StateFlags {
  const mode = values.gcmode;
  const livePruning = values["state.live-pruning"];
  const full = livePruning ? false : undefined;
  return {
    archive: mode === undefined ? full : mode === "archive",
    livePruning,
    retention: values["state.live-pruning-retention"] ?? (livePruning ? PRUNING_RETENTION : undefined),
    preimages: values["state.preimages"],
    flushInterval: values["state.block-interval"],
    cacheSaveMs: values["state.trie-cache-save-period"],
    historyBlocks: values["history.blocks"],
    senderHashes: values.sendertxhashindexing,
  };
}

/** Returns the log level of the Go node's verbosity. */
export function logLevel(verbosity: number): NodeOptions["log"]["level"] {
  return (["silent", "error", "warn", "info"] as const)[verbosity] ?? "debug";
}

const DAY_MS = 86_400_000;

function logFile(values: FlagValues, host: HostSystem, warnings: string[]): NodeOptions["logFile"] {
  const file = values["log.file"];
  if (file === undefined || file === "") {
    if (values["log.rotate"]) warnings.push("--log.rotate does nothing without --log.file");
    return undefined;
  }
  const rotation = {
    maxBytes: values["log.maxsize"] * MEBIBYTE,
    maxFiles: values["log.maxbackups"],
    maxAgeMs: values["log.maxage"] * DAY_MS,
    compress: values["log.compress"],
  };
  return { path: resolvePath(file, host), rotation: values["log.rotate"] ? rotation : undefined };
}

/** Network id of the main network. */
const DEFAULT_NETWORK = 8217;

/** Options of a boot node and warnings for the operator. */
export interface CheckedBootNode {
  readonly options: BootNodeOptions;
  readonly warnings: readonly string[];
}

/** Checks and groups the flags of a boot node. Throws `OptionError` unless exactly one node key is given. */
export function bootNodeOptions(resolved: ResolvedFlags, host: HostSystem): CheckedBootNode {
  const { values, given } = resolved;
  const { nodekey, nodekeyhex, networkid, bnaddr, verbosity } = values;
  if (given.has("nodekey") && given.has("nodekeyhex"))
    throw new OptionError("clash", "Options --nodekey and --nodekeyhex are mutually exclusive");
  if (nodekey === undefined && nodekeyhex === undefined)
    throw new OptionError("missing-value", "Use --nodekey or --nodekeyhex to specify a private key");
  const warnings = [...resolved.warnings];
  const options: BootNodeOptions = {
    ...discoveryFlags(values, warnings),
    nodeKey: nodekeyhex,
    nodeKeyPath: resolvePath(nodekey ?? "", host),
    networkId: networkid ?? DEFAULT_NETWORK,
    listen: bnaddr ?? { host: undefined, port: DEFAULT_PORT },
    authorizedNodes: values["authorized-nodes"],
    log: { level: logLevel(verbosity), format: values["log.format"] },
  };
  return { options, warnings };
}
