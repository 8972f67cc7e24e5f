/** From flags to options: values are checked against each other, put into base units and grouped. */
import type { FlagName, FlagValues } from "./flags.ts";
import type { ResolvedFlags } from "./flags-values.ts";
import { memoryOptions } from "./memory-options.ts";
import type { MemoryPlan } from "./memory-plan.ts";
import type {
  HttpOptions,
  MeetingFlags,
  NetworkFlags,
  NodeOptions,
  PoolFlags,
  RpcOptions,
  StateFlags,
  WsOptions,
} from "./options.ts";
import { OptionError } from "./options-error.ts";
import { absolutePath, ipcPath, nodePaths, type Surroundings } from "./options-paths.ts";

/** Options, and what an operator should be told about them. */
export interface CheckedOptions {
  readonly options: NodeOptions;
  readonly warnings: readonly string[];
}

const MEBIBYTE = 1 << 20;
const PEB_PER_KLAY = 10n ** 18n;
/** The longest delay that a timer takes, 24 days; a longer one is none at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Checks and groups the values of a command's flags. Throws `OptionError`. */
export function nodeOptions(command: string, resolved: ResolvedFlags, around: Surroundings): CheckedOptions {
  const { values } = resolved;
  refuseClashes(resolved);
  const warnings = [...resolved.warnings];
  warnOfIdleFlags(resolved, warnings);
  const paths = nodePaths(values, around);
  const memory = memoryOptions(resolved, around, warnings);
  const options: NodeOptions = {
    type: values.type,
    identity: values.identity,
    networkId: values.networkid,
    publicNetwork: publicNetwork(values),
    paths,
    nodeKey: values.nodekeyhex,
    blsKey: { given: values["bls-nodekeyhex"], named: absoluteOf(values["bls-nodekey"], around) },
    network: networkFlags(command, values, warnings),
    rpc: rpcOptions(values, memory),
    http: values.rpc ? httpOptions(values, warnings) : undefined,
    ws: values.ws ? wsOptions(values) : undefined,
    ipc: values.ipcdisable ? undefined : { path: ipcPath(values.ipcpath, paths.dataDirectory, around) },
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
    },
    accounts: accountOptions(values),
    log: { level: logLevel(values.verbosity), format: values["log.format"] },
    logFile: logFile(values, around, warnings),
    development:
      command === "dev" ? { accounts: values.accounts, balance: values.balance * PEB_PER_KLAY } : undefined,
  };
  return { options, warnings };
}

function absoluteOf(path: string | undefined, around: Surroundings): string | undefined {
  return path ? absolutePath(path, around) : undefined;
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
    throw new OptionError("clash", "--gcmode archive keeps all states, --state.live-pruning lets go of them");
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

/** Flags of the Go node that are taken so that its settings fit, and change nothing. */
function warnOfIdleFlags({ given, values }: ResolvedFlags, warnings: string[]): void {
  if (given.has("srvtype") && values.srvtype === "fasthttp") {
    warnings.push("The fasthttp option is deprecated. Instead, the server will start with the http type");
  }
  if (given.has("rpc.concurrencylimit")) warnings.push("--rpc.concurrencylimit does nothing");
}

const DEFAULT_PORT = 32_323;
const DEFAULT_PENDING = 50;

/** A development chain is for this machine alone: it listens for peers only when a port is named. */
function networkFlags(command: string, values: FlagValues, warnings: string[]): NetworkFlags {
  return {
    ...meetingFlags(values, warnings),
    discovers: !values.nodiscover,
    port: values.port ?? (command === "dev" ? undefined : DEFAULT_PORT),
    subPort: values.multichannel ? values.subport : undefined,
    resendMs: timerMs(values["txresend.interval"] * 1_000),
    maxPeers: values.maxconnections,
    maxPendingPeers: values.maxpendpeers === 0 ? DEFAULT_PENDING : values.maxpendpeers,
  };
}

/** How nodes find each other, of a node or a boot node. */
export function meetingFlags(values: FlagValues, warnings: string[]): MeetingFlags {
  const { bootnodes, netrestrict, nat } = values;
  if (nat === "any" || nat === "upnp" || nat === "pmp")
    warnings.push(
      `--nat ${nat} asks no router: open the port there, and give the address with --nat extip:IP`,
    );
  return {
    bootNodes: bootnodes,
    netRestrict: netrestrict,
    externalIp: typeof nat === "string" ? undefined : nat.ip,
  };
}

function rpcOptions(values: FlagValues, { shares }: MemoryPlan): RpcOptions {
  return {
    profile: values["rpc.profile"],
    maxRequestBytes: values.maxRequestContentLength,
    maxLogs: values["api.filter.getLogs.maxitems"],
    logsDeadlineMs: timerMs(values["api.filter.getLogs.deadline"]),
    gasCap: values["rpc.gascap"],
    ethFeeCap: values["rpc.ethtxfeecap"],
    evmTimeoutMs: timerMs(values["rpc.evmtimeout"] || LONGEST_TIMER_MS),
    maxAnswerBytes: shares.answer,
    privilegesOverIpcOnly: values["rpc.ipc-only-privileges"],
    unsafeDebugOverIpcOnly: values["rpc.unsafe-debug.disable"],
    maxTraces: values["rpc.unsafe-debug.heavy-debug.request-limit"],
    ethAsChain: values["rpc.eth.noncompatible"],
  };
}

function httpOptions(values: FlagValues, warnings: string[]): HttpOptions {
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

/** The Go node replaces time-outs below a second by the default and says so. */
function timeout(name: FlagName, seconds: number, fallback: number, warnings: string[]): number {
  if (seconds >= 1) return timerMs(seconds * 1_000);
  warnings.push(`--${name} ${seconds} is below one second, ${fallback} is used`);
  return fallback * 1_000;
}

function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}

function wsOptions(values: FlagValues): WsOptions {
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

/** All interfaces, as scrapers expect; a development chain stays on loopback. */
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

/** The Go node's: two days of blocks. */
const PRUNING_RETENTION = 172_800;

function stateFlags(values: FlagValues): StateFlags {
  const mode = values.gcmode;
  const livePruning = values["state.live-pruning"];
  const kept = livePruning ? false : undefined;
  return {
    archive: mode === undefined ? kept : mode === "archive",
    livePruning,
    retention: values["state.live-pruning-retention"] ?? (livePruning ? PRUNING_RETENTION : undefined),
    preimages: values["state.preimages"],
    flushInterval: values["state.block-interval"],
    cacheSaveMs: values["state.trie-cache-save-period"],
    historyBlocks: values["history.blocks"],
    senderHashes: values.sendertxhashindexing,
  };
}

/** How much is logged, by the Go node's numbers. */
export function logLevel(verbosity: number): NodeOptions["log"]["level"] {
  return (["silent", "error", "warn", "info"] as const)[verbosity] ?? "debug";
}

const DAY_MS = 86_400_000;

function logFile(values: FlagValues, around: Surroundings, warnings: string[]): NodeOptions["logFile"] {
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
  return { path: absolutePath(file, around), rotation: values["log.rotate"] ? rotation : undefined };
}
