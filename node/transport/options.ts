/** Options of the listeners: HTTP, WebSocket, IPC and Prometheus. */
import { MAX_SUBSCRIPTIONS } from "../jsonrpc/options.ts";
import {
  booleanKind,
  choice,
  integerKind,
  list,
  path,
  port,
  secondsKind,
  textKind,
} from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const http = optionGroup("HTTP", NODE);
const ws = optionGroup("WebSocket", NODE);
const ipc = optionGroup("IPC", NODE);
const socket = optionGroup("IPC", [...NODE, "rpc", "save-cache", "attach"]);
const rpc = optionGroup("RPC", NODE);
const metrics = optionGroup("Metrics", NODE);

/** Modules of a development chain: all that are safe on loopback. */
const DEVELOPMENT_MODULES = [
  "chain",
  "debug",
  "dev",
  "erigon",
  "eth",
  "net",
  "ots",
  "personal",
  "rpc",
  "trace",
  "txpool",
  "web3",
];

/** Rows of the HTTP listener. */
export const httpOptions = {
  isEnabled: http({
    flag: "rpc",
    kind: booleanKind,
    default: false,
    development: true,
    summary: "enable the HTTP-RPC server",
    aliases: ["http-rpc.enable"],
    properties: ["RPC_ENABLE"],
  }),
  host: http({
    flag: "rpcaddr",
    kind: textKind,
    default: "127.0.0.1",
    summary: "HTTP-RPC server listening interface",
    aliases: ["http-rpc.addr"],
    properties: ["RPC_ADDR"],
  }),
  port: http({
    flag: "rpcport",
    kind: port,
    default: 8551,
    summary: "HTTP-RPC server listening port; 0 for a free port",
    aliases: ["http-rpc.port"],
    properties: ["RPC_PORT"],
  }),
  page: http({
    flag: "rpc.page",
    kind: booleanKind,
    default: false,
    development: true,
    summary: "serve a page for browsers at / of the HTTP-RPC server",
    own: true,
  }),
  modules: http({
    flag: "rpcapi",
    kind: list,
    development: DEVELOPMENT_MODULES,
    summary: "APIs to serve; the profile's by default: chain,net,rpc",
    aliases: ["http-rpc.api"],
    properties: ["RPC_API"],
    differs: "`chain,net,rpc` by default; `--rpc.profile` selects the Go node's",
  }),
  corsOrigins: http({
    flag: "rpccorsdomain",
    kind: list,
    default: [],
    summary: "origins to accept cross-origin requests from; * for all",
    aliases: ["http-rpc.cors-domain"],
    properties: ["RPC_CORSDOMAIN"],
  }),
  virtualHosts: http({
    flag: "rpcvhosts",
    kind: list,
    default: ["localhost"],
    summary: "virtual host names to accept requests for; * for all",
    aliases: ["http-rpc.vhosts"],
    properties: ["RPC_VHOSTS"],
  }),
  readTimeoutMs: http({
    flag: "rpcreadtimeout",
    kind: secondsKind(0),
    default: 30_000,
    summary: "timeout for reading a request, in seconds",
    aliases: ["http-rpc.read-timeout"],
    properties: ["RPC_READ_TIMEOUT"],
  }),
  writeTimeoutMs: http({
    flag: "rpcwritetimeout",
    kind: secondsKind(0),
    default: 30_000,
    summary: "timeout for writing a response, in seconds",
    aliases: ["http-rpc.write-timeout"],
    properties: ["RPC_WRITE_TIMEOUT"],
  }),
  idleTimeoutMs: http({
    flag: "rpcidletimeout",
    kind: secondsKind(0),
    default: 120_000,
    summary: "timeout of idle connections, in seconds",
    aliases: ["http-rpc.idle-timeout"],
    properties: ["RPC_IDLE_TIMEOUT"],
  }),
  executionTimeoutMs: http({
    flag: "rpcexecutiontimeout",
    kind: secondsKind(0),
    default: 30_000,
    summary: "timeout of a call, in seconds",
    aliases: ["http-rpc.execution-timeout"],
    properties: ["RPC_EXECUTION_TIMEOUT"],
  }),
};

/** The HTTP listener. The modules are `undefined` for the default ones. */
export type HttpOptions = ValuesOf<typeof httpOptions>;

const TIMEOUTS = ["readTimeoutMs", "writeTimeoutMs", "idleTimeoutMs", "executionTimeoutMs"] as const;

/**
 * Replaces timeouts below one second by their defaults, as the Go node does (`networks/rpc/http.go@v2.2.2`), each with
 * a warning.
 */
export function replaceShortTimeouts(options: HttpOptions, warnings: string[]): HttpOptions {
  const short = TIMEOUTS.filter((member) => options[member] < 1_000);
  for (const member of short) {
    const { flag, default: replacement } = httpOptions[member];
    warnings.push(`--${flag} ${options[member] / 1_000} is below one second, ${replacement / 1_000} is used`);
  }
  const replaced = short.map((member) => [member, httpOptions[member].default]);
  return { ...options, ...Object.fromEntries(replaced) };
}

/** Rows of the WebSocket listener. A deadline of 0 means none. */
export const wsOptions = {
  isEnabled: ws({
    flag: "ws",
    kind: booleanKind,
    default: false,
    development: true,
    summary: "enable the WS-RPC server",
    aliases: ["ws-rpc.enable"],
    properties: ["WS_ENABLE"],
  }),
  host: ws({
    flag: "wsaddr",
    kind: textKind,
    default: "127.0.0.1",
    summary: "WS-RPC server listening interface",
    aliases: ["ws-rpc.addr"],
    properties: ["WS_ADDR"],
  }),
  port: ws({
    flag: "wsport",
    kind: port,
    default: 8552,
    summary: "WS-RPC server listening port; 0 for a free port",
    aliases: ["ws-rpc.port"],
    properties: ["WS_PORT"],
  }),
  modules: ws({
    flag: "wsapi",
    kind: list,
    development: DEVELOPMENT_MODULES,
    summary: "APIs to serve; the profile's by default: chain,net,rpc",
    aliases: ["ws-rpc.api"],
    properties: ["WS_API"],
    differs: "`chain,net,rpc` by default; `--rpc.profile` selects the Go node's",
  }),
  origins: ws({
    flag: "wsorigins",
    kind: list,
    default: [],
    summary: "origins to accept WebSocket connections from; * for all",
    aliases: ["ws-rpc.origins"],
    properties: ["WS_ORIGINS"],
  }),
  maxSubscriptions: ws({
    flag: "wsmaxsubscriptionperconn",
    kind: integerKind(0),
    default: MAX_SUBSCRIPTIONS,
    summary: "maximum number of subscriptions of one connection",
    aliases: ["ws-rpc.max-subscription-per-conn"],
  }),
  maxConnections: ws({
    flag: "wsmaxconnections",
    kind: integerKind(0),
    default: 3_000,
    summary: "maximum number of connections",
    aliases: ["ws-rpc.max-connections"],
  }),
  readDeadlineMs: ws({
    flag: "wsreaddeadline",
    kind: secondsKind(0),
    default: 0,
    summary: "deadline for reads on a connection, in seconds; 0 for none",
    aliases: ["ws-rpc.read-deadline"],
  }),
  writeDeadlineMs: ws({
    flag: "wswritedeadline",
    kind: secondsKind(0),
    default: 0,
    summary: "deadline for writing a message, in seconds; 0 for none",
    aliases: ["ws-rpc.write-deadline"],
  }),
};

/** The WebSocket listener. The modules are `undefined` for the default ones. */
export type WsOptions = ValuesOf<typeof wsOptions>;

/** Rows of the IPC socket. */
export const ipcOptions = {
  isDisabled: ipc({
    flag: "ipcdisable",
    kind: booleanKind,
    default: false,
    summary: "disable the IPC-RPC server",
    aliases: ["ipc.disable"],
  }),
  path: socket({
    flag: "ipcpath",
    kind: path,
    summary: "IPC socket; a name without a directory is inside the data directory",
    aliases: ["ipc.path"],
    differs: "`knit.ipc` by default, not `klay.ipc`",
  }),
};

/** Rows of requests. */
export const requestOptions = {
  maxRequestBytes: rpc({
    flag: "maxRequestContentLength",
    kind: integerKind(1),
    default: 524_288,
    development: 64 * 2 ** 20,
    summary: "maximum size of a request, in bytes",
    aliases: ["p2p.max-request-content-length"],
  }),
};

/** Maximum length of a request. */
export type RequestOptions = ValuesOf<typeof requestOptions>;

/** Rows without effect, which the Go node has for its HTTP servers. */
export const serverOptions = {
  serverType: rpc({
    flag: "srvtype",
    kind: choice(["http", "fasthttp"]),
    default: "http",
    summary: "no effect: there is one kind of HTTP server",
    aliases: ["common.srvtype"],
    properties: ["SERVER_TYPE"],
    differs: "no effect: there is one kind of HTTP server",
  }),
  concurrencyLimit: rpc({
    flag: "rpc.concurrencylimit",
    kind: integerKind(0),
    default: 3_000,
    summary: "no effect",
    aliases: ["http-rpc.concurrency-limit"],
    differs: "no effect: the budget of a listener limits queued requests",
  }),
};

/** Rows of the listener for Prometheus. */
export const metricsOptions = {
  isEnabled: metrics({
    flag: "metrics",
    kind: booleanKind,
    default: false,
    development: true,
    summary: "collect metrics",
    aliases: ["metrics-collection-reporting.enable"],
  }),
  isExported: metrics({
    flag: "prometheus",
    kind: booleanKind,
    default: false,
    development: true,
    summary: "export metrics to Prometheus",
    aliases: ["metrics-collection-reporting.prometheus"],
  }),
  port: metrics({
    flag: "prometheusport",
    kind: port,
    default: 61_001,
    summary: "port of the Prometheus exporter",
    aliases: ["metrics-collection-reporting.prometheus-port"],
  }),
};
