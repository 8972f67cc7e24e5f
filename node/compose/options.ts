/**
 * Options of a node: the values of the rows of all rooms, checked against each other and grouped by subject. No other
 * part of a node reads flags, settings files or the environment.
 */

import { accountOptions, blsKeyOptions, keyFileOptions, keystoreOptions } from "../accounts/options.ts";
import { type AuctionOptions, auctionOptions } from "../auction/options.ts";
import type { Address } from "../bytes/brands.ts";
import {
  type CallLimitOptions,
  callLimitOptions,
  type LogSearchOptions,
  logSearchOptions,
  type ReceiptWaitOptions,
  receiptWaitOptions,
  type TraceOptions,
  traceOptions,
} from "../calls/options.ts";
import {
  type DevelopmentOptions,
  developmentOptions,
  exportOptions,
  type FollowerOptions,
  followerOptions,
} from "../chain/options.ts";
import { type CheckpointSettings, checkpointSettings } from "../checkpoint/options.ts";
import { type ProfileOptions, profileOptions } from "../compat/options.ts";
import { type ConsensusOptions, consensusOptions, groupedConsensusOptions } from "../consensus/options.ts";
import { type GaslessOptions, gaslessOptions } from "../gasless/options.ts";
import { type EthOptions, ethOptions, type ResponseOptions, responseOptions } from "../jsonrpc/options.ts";
import type { Rotation } from "../observe/log-file.ts";
import {
  type DiskOptions,
  diskOptions,
  type LogOptions,
  logFileOptions,
  logOptions,
} from "../observe/options.ts";
import { OptionError } from "../options/error.ts";
import { type AccountReference, booleanKind } from "../options/kinds.ts";
import { optionValues, type ResolvedFlags } from "../options/resolve.ts";
import { type OptionRow, type OptionRows, optionGroup, type ValuesOf } from "../options/rows.ts";
import {
  DEFAULT_PEER_PORT,
  DEFAULT_PENDING_PEERS,
  discoveryOptions,
  identityOptions,
  nodeAddressOptions,
  nodeKeyOptions,
  peerOptions,
} from "../p2p/options.ts";
import { type ResendOptions, resendOptions } from "../protocol/options.ts";
import {
  historyOptions,
  type KeptStates,
  keptStates,
  type TrieOptions,
  trieOptions,
} from "../state/options.ts";
import {
  type HttpOptions,
  httpOptions,
  ipcOptions,
  metricsOptions,
  type RequestOptions,
  replaceShortTimeouts,
  requestOptions,
  serverOptions,
  type WsOptions,
  wsOptions,
} from "../transport/options.ts";
import { type PoolOptions, poolOptions } from "../txpool/options.ts";
import { memoryOptions } from "./memory-options.ts";
import type { MemoryPlan } from "./memory-plan.ts";
import {
  type HostSystem,
  ipcPath,
  type NodePaths,
  nodePaths,
  type PlaceOptions,
  placeOptions,
  resolvePath,
} from "./paths.ts";

const publicNetworks = optionGroup("Public networks", ["run", "console", "config", "dumpgenesis", "genesis"]);

/** Rows of the public networks. */
export const publicNetworkOptions = {
  mainnet: publicNetworks({
    flag: "mainnet",
    kind: booleanKind,
    default: false,
    summary: "use the main network",
    aliases: ["cypress", "p2p.mainnet", "p2p.cypress"],
    variable: "CYPRESS",
  }),
  kairos: publicNetworks({
    flag: "kairos",
    kind: booleanKind,
    default: false,
    summary: "use the test network Kairos (Baobab)",
    aliases: ["baobab", "p2p.kairos", "p2p.baobab"],
    variable: "BAOBAB",
  }),
};

/** Options of a node. A service that is off is `undefined`. */
export interface NodeOptions extends CheckpointSettings {
  readonly type: PlaceOptions["type"];
  readonly identity: string;
  /** `undefined` for the chain id. */
  readonly networkId: number | undefined;
  /** The public network that the chain must belong to. */
  readonly publicNetwork: keyof typeof publicNetworkOptions | undefined;
  readonly paths: NodePaths;
  /** True when the databases are deleted at the end: their writes are not synced. */
  readonly isTemporary: boolean;
  /** The node's private key of `--nodekeyhex`; otherwise the key is in `paths.nodeKey`. */
  readonly nodeKey: Uint8Array | undefined;
  /** The address that the node key must have; undefined for any. */
  readonly nodeAddress: Address | undefined;
  readonly blsKey: ConfiguredBlsKey;
  readonly network: NetworkOptions;
  readonly rpc: JsonRpcOptions;
  readonly http: HttpOptions | undefined;
  readonly ws: WsOptions | undefined;
  readonly ipc: { readonly path: string } | undefined;
  readonly metrics: { readonly host: string | undefined; readonly port: number } | undefined;
  readonly pool: ConfiguredPool;
  readonly state: KeptStates & Omit<TrieOptions, "cacheBytes">;
  readonly followers: FollowerOptions;
  readonly disk: DiskOptions;
  readonly memory: MemoryPlan;
  readonly consensus: ConsensusOptions;
  readonly auction: AuctionOptions;
  readonly gasless: GaslessOptions;
  readonly accounts: AccountSettings;
  readonly log: LogOptions;
  /** A log file in addition to the standard streams. */
  readonly logFile: ConfiguredLogFile | undefined;
  /** `undefined` unless the chain is a development chain. */
  readonly development: DevelopmentOptions | undefined;
}

/** JSON-RPC over any transport. The length of a response follows from the memory plan. */
export type JsonRpcOptions = ProfileOptions &
  RequestOptions &
  ResponseOptions &
  EthOptions &
  TraceOptions &
  LogSearchOptions &
  CallLimitOptions &
  ReceiptWaitOptions & {
    /** Calls may offer less than the base fee: on a development chain, as the tools have it. */
    readonly takesLowPrices: boolean;
  };

/** The node's BLS key: the key itself (`given`) or its file (`named`); otherwise `paths.blsNodeKey` if it exists. */
export interface ConfiguredBlsKey {
  readonly given: Uint8Array | undefined;
  readonly named: string | undefined;
}

/** The log file. */
export interface ConfiguredLogFile {
  readonly path: string;
  /** `undefined` for no rotation. */
  readonly rotation: Rotation | undefined;
}

/** Options of the pool. */
export type ConfiguredPool = Omit<PoolOptions, "maxSize" | "maxGas"> & {
  /** Absolute path of the journal; `undefined` for none. */
  readonly journal: string | undefined;
};

/** Peers. */
export interface NetworkOptions extends ConfiguredDiscovery, ResendOptions {
  /** Takes part in node discovery. */
  readonly discovers: boolean;
  /** Listening port; `undefined` for outbound connections only. */
  readonly port: number | undefined;
  /** Port of separate connections for transactions; `undefined` for one connection per peer. */
  readonly subPort: number | undefined;
  readonly maxPeers: number;
  /** Maximum number of concurrent handshakes. */
  readonly maxPendingPeers: number;
}

/** Node discovery, of nodes and boot nodes. */
export interface ConfiguredDiscovery {
  /** Node URLs, not parsed. */
  readonly bootNodes: readonly string[];
  /** Networks such as `10.0.0.0/8`; `undefined` for all. */
  readonly netRestrict: readonly string[] | undefined;
  /** Configured external address. */
  readonly externalIp: string | undefined;
}

/** The keystore. */
export interface AccountSettings {
  readonly lightKdf: boolean;
  /** Version of new key files. */
  readonly keyFileVersion: 3 | 4;
  readonly unlock: readonly AccountReference[];
  /** File with one passphrase per line; the last one applies to all further accounts. */
  readonly passwordFile: string | undefined;
}

/** Options of a node and warnings for the operator. */
export interface CheckedOptions {
  readonly options: NodeOptions;
  readonly warnings: readonly string[];
}

/** Checks and groups the options of a command. Throws `OptionError`. */
export function nodeOptions(command: string, resolved: ResolvedFlags, host: HostSystem): CheckedOptions {
  const values = <Rows extends OptionRows>(rows: Rows): ValuesOf<Rows> => optionValues(rows, resolved);
  refuseClashes(resolved);
  const warnings = [...resolved.warnings];
  warnOfFlagsWithoutEffect(resolved, warnings);
  const place = values(placeOptions);
  const nodeKey = values(nodeKeyOptions);
  const blsKey = values(blsKeyOptions);
  const paths = nodePaths(
    { place, nodeKey, keystore: values(keystoreOptions), peers: values(peerOptions) },
    host,
  );
  const memory = memoryOptions(resolved, host, warnings);
  const http = values(httpOptions);
  const ws = values(wsOptions);
  const { isDisabled, path } = values(ipcOptions);
  const { cacheBytes: _, ...trie } = values(trieOptions);
  const options: NodeOptions = {
    type: place.type,
    ...values(identityOptions),
    publicNetwork: publicNetwork(values(publicNetworkOptions)),
    paths,
    isTemporary: false,
    nodeKey: nodeKey.key,
    ...values(nodeAddressOptions),
    blsKey: { given: blsKey.key, named: blsKey.file ? resolvePath(blsKey.file, host) : undefined },
    network: networkOptions(command, resolved, warnings),
    rpc: {
      ...values(profileOptions),
      ...values(requestOptions),
      ...values(responseOptions),
      ...values(ethOptions),
      ...values(traceOptions),
      ...values(logSearchOptions),
      ...values(callLimitOptions),
      ...values(receiptWaitOptions),
      maxAnswerBytes: memory.shares.answer,
      takesLowPrices: command === "dev",
    },
    http: http.isEnabled ? replaceShortTimeouts(http, warnings) : undefined,
    ws: ws.isEnabled ? ws : undefined,
    ipc: isDisabled ? undefined : { path: ipcPath(path, paths.dataDirectory, host) },
    metrics: metricsListener(command, values(metricsOptions), warnings),
    pool: configuredPool(values(poolOptions), place.type, (name) => resolvePath(name, host, paths.instance)),
    state: { ...keptStates(values(historyOptions)), ...trie },
    followers: values(followerOptions),
    ...checkpointSettings(resolved),
    memory,
    disk: values(diskOptions),
    consensus: groupedConsensusOptions(values(consensusOptions)),
    auction: values(auctionOptions),
    gasless: values(gaslessOptions),
    accounts: accountSettings(resolved),
    log: values(logOptions),
    logFile: configuredLogFile(values(logFileOptions), host, warnings),
    development: command === "dev" ? values(developmentOptions) : undefined,
  };
  return { options, warnings };
}

function publicNetwork({
  mainnet,
  kairos,
}: ValuesOf<typeof publicNetworkOptions>): NodeOptions["publicNetwork"] {
  if (mainnet) return "mainnet";
  return kairos ? "kairos" : undefined;
}

function accountSettings(resolved: ResolvedFlags): AccountSettings {
  const { lightKdf, isVersion3 } = optionValues(keyFileOptions, resolved);
  const { unlock, passwordFile } = optionValues(accountOptions, resolved);
  return { lightKdf, keyFileVersion: isVersion3 ? 3 : 4, unlock, passwordFile };
}

function refuseClashes(resolved: ResolvedFlags): void {
  const { given } = resolved;
  const both = (a: OptionRow<unknown>, b: OptionRow<unknown>) => given.has(a.flag) && given.has(b.flag);
  for (const { file, key } of [nodeKeyOptions, blsKeyOptions])
    if (both(file, key))
      throw new OptionError("clash", `Options "${file.flag}" and "${key.flag}" are mutually exclusive`);
  refuseTwoNetworks(resolved);
  const { isDisabled } = optionValues(ipcOptions, resolved);
  if (isDisabled && given.has(ipcOptions.path.flag)) {
    throw new OptionError("clash", "Flags --ipcdisable, --ipcpath can't be used at the same time");
  }
  const { first, last } = optionValues(exportOptions, resolved);
  if (first !== undefined && last !== undefined && first > last) {
    throw new OptionError("clash", `--first ${first} is after --last ${last}`);
  }
  refuseSharedPorts(resolved);
}

function refuseTwoNetworks(resolved: ResolvedFlags): void {
  const { kairos, mainnet } = optionValues(publicNetworkOptions, resolved);
  const hasId = resolved.given.has(identityOptions.networkId.flag);
  const named = [kairos ? "kairos" : "", mainnet ? "mainnet" : "", hasId ? "networkid" : ""];
  const [first, second] = named.filter((name) => name !== "");
  if (second !== undefined)
    throw new OptionError("clash", `--${first} and --${second} must not be set together`);
}

function refuseSharedPorts(resolved: ResolvedFlags): void {
  const http = optionValues(httpOptions, resolved);
  const ws = optionValues(wsOptions, resolved);
  const metrics = optionValues(metricsOptions, resolved);
  const peers = optionValues(peerOptions, resolved);
  const listeners = [
    { row: httpOptions.port, port: http.port, isOn: http.isEnabled },
    { row: wsOptions.port, port: ws.port, isOn: ws.isEnabled },
    { row: metricsOptions.port, port: metrics.port, isOn: metrics.isEnabled && metrics.isExported },
    { row: peerOptions.port, port: peers.port ?? DEFAULT_PEER_PORT, isOn: peers.isMultichannel },
    { row: peerOptions.subPort, port: peers.subPort, isOn: peers.isMultichannel },
  ];
  const seen = new Map<number, string>();
  for (const { row, port, isOn } of listeners) {
    if (!isOn || port === 0) continue;
    const other = seen.get(port);
    if (other) throw new OptionError("clash", `--${other} and --${row.flag} are both ${port}`);
    seen.set(port, row.flag);
  }
}

/** Warns of flags that are accepted for compatibility with the Go node and have no effect. */
function warnOfFlagsWithoutEffect(resolved: ResolvedFlags, warnings: string[]): void {
  const { given } = resolved;
  const { serverType, concurrencyLimit } = serverOptions;
  if (given.has(serverType.flag) && optionValues(serverOptions, resolved).serverType === "fasthttp") {
    warnings.push("The fasthttp option is deprecated. Instead, the server will start with the http type");
  }
  if (given.has(concurrencyLimit.flag)) warnings.push(`--${concurrencyLimit.flag} does nothing`);
}

/** Groups the options of the network. A development chain listens for peers only when a port is given. */
function networkOptions(command: string, resolved: ResolvedFlags, warnings: string[]): NetworkOptions {
  const { port, isMultichannel, subPort, maxPeers, maxPendingPeers, isHidden } = optionValues(
    peerOptions,
    resolved,
  );
  return {
    ...configuredDiscovery(resolved, warnings),
    ...optionValues(resendOptions, resolved),
    discovers: !isHidden,
    port: port ?? (command === "dev" ? undefined : DEFAULT_PEER_PORT),
    subPort: isMultichannel ? subPort : undefined,
    maxPeers,
    maxPendingPeers: maxPendingPeers === 0 ? DEFAULT_PENDING_PEERS : maxPendingPeers,
  };
}

/** Returns the options of discovery that nodes and boot nodes have. */
export function configuredDiscovery(resolved: ResolvedFlags, warnings: string[]): ConfiguredDiscovery {
  const { bootNodes, netRestrict, externalAddress: nat } = optionValues(discoveryOptions, resolved);
  if (nat === "any" || nat === "upnp" || nat === "pmp")
    warnings.push(
      `--nat ${nat} does not configure the router: open the port there and set the address with --nat extip:IP`,
    );
  return { bootNodes, netRestrict, externalIp: typeof nat === "string" ? undefined : nat.ip };
}

/** Prometheus listens on all interfaces, over IPv4 and IPv6, as in the Go node; that of a development chain on loopback. */
function metricsListener(
  command: string,
  { isEnabled, isExported, port }: ValuesOf<typeof metricsOptions>,
  warnings: string[],
): NodeOptions["metrics"] {
  if (isExported && !isEnabled) warnings.push("--prometheus does nothing without --metrics");
  if (!isEnabled || !isExported) return undefined;
  return { host: command === "dev" ? "127.0.0.1" : undefined, port };
}

/** Puts the journal into the instance directory, and gives the throttler to proxies alone. */
function configuredPool(
  { spamThrottlerDisabled, journal, ...pool }: ValuesOf<typeof poolOptions>,
  type: NodeOptions["type"],
  inInstance: (name: string) => string,
): ConfiguredPool {
  return {
    ...pool,
    journal: journal === "" ? undefined : inInstance(journal),
    throttleSpam: type === "proxy" && !spamThrottlerDisabled,
  };
}

function configuredLogFile(
  { path, isRotated, ...rotation }: ValuesOf<typeof logFileOptions>,
  host: HostSystem,
  warnings: string[],
): ConfiguredLogFile | undefined {
  if (path === undefined || path === "") {
    if (isRotated) warnings.push("--log.rotate does nothing without --log.file");
    return undefined;
  }
  return { path: resolvePath(path, host), rotation: isRotated ? rotation : undefined };
}
