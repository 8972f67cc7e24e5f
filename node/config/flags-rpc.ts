/** The flags of the JSON-RPC server, as rows of the flag table: HTTP, WebSocket, IPC and common limits. */
import {
  booleanKind,
  choice,
  coins,
  duration,
  integerKind,
  list,
  path,
  port,
  textKind,
} from "./flags-kinds.ts";
import { NODE, rows } from "./flags-rows.ts";

const http = rows("HTTP", NODE);
const ws = rows("WebSocket", NODE);
const ipc = rows("IPC", NODE);
const socket = rows("IPC", [...NODE, "rpc", "save-cache", "attach"]);
const rpc = rows("RPC", NODE);

/** Flags of HTTP, WebSocket and IPC, and of all three. */
export const rpcFlags = {
  rpc: http.flag(booleanKind, false, "enable the HTTP-RPC server", "http-rpc.enable"),
  rpcaddr: http.flag(textKind, "127.0.0.1", "HTTP-RPC server listening interface", "http-rpc.addr"),
  rpcport: http.flag(port, 8551, "HTTP-RPC server listening port; 0 for a free port", "http-rpc.port"),
  rpcapi: http.maybe(list, "APIs to serve; the profile's by default: chain,net,rpc", "http-rpc.api"),
  rpccorsdomain: http.flag(
    list,
    [],
    "origins to accept cross-origin requests from; * for all",
    "http-rpc.cors-domain",
  ),
  rpcvhosts: http.flag(
    list,
    ["localhost"],
    "virtual host names to accept requests for; * for all",
    "http-rpc.vhosts",
  ),
  rpcreadtimeout: http.flag(
    integerKind(0),
    30,
    "timeout for reading a request, in seconds",
    "http-rpc.read-timeout",
  ),
  rpcwritetimeout: http.flag(
    integerKind(0),
    30,
    "timeout for writing a response, in seconds",
    "http-rpc.write-timeout",
  ),
  rpcidletimeout: http.flag(
    integerKind(0),
    120,
    "timeout of idle connections, in seconds",
    "http-rpc.idle-timeout",
  ),
  rpcexecutiontimeout: http.flag(
    integerKind(0),
    30,
    "timeout of a call, in seconds",
    "http-rpc.execution-timeout",
  ),

  ws: ws.flag(booleanKind, false, "enable the WS-RPC server", "ws-rpc.enable"),
  wsaddr: ws.flag(textKind, "127.0.0.1", "WS-RPC server listening interface", "ws-rpc.addr"),
  wsport: ws.flag(port, 8552, "WS-RPC server listening port; 0 for a free port", "ws-rpc.port"),
  wsapi: ws.maybe(list, "APIs to serve; the profile's by default: chain,net,rpc", "ws-rpc.api"),
  wsorigins: ws.flag(list, [], "origins to accept WebSocket connections from; * for all", "ws-rpc.origins"),
  wsmaxsubscriptionperconn: ws.flag(
    integerKind(0),
    3_000,
    "maximum number of subscriptions of one connection",
    "ws-rpc.max-subscription-per-conn",
  ),
  wsmaxconnections: ws.flag(integerKind(0), 3_000, "maximum number of connections", "ws-rpc.max-connections"),
  wsreaddeadline: ws.flag(
    integerKind(0),
    0,
    "deadline for reads on a connection, in seconds; 0 for none",
    "ws-rpc.read-deadline",
  ),
  wswritedeadline: ws.flag(
    integerKind(0),
    0,
    "deadline for writing a message, in seconds; 0 for none",
    "ws-rpc.write-deadline",
  ),

  ipcdisable: ipc.flag(booleanKind, false, "disable the IPC-RPC server", "ipc.disable"),
  ipcpath: socket.maybe(
    path,
    "IPC socket; a name without a directory is inside the data directory",
    "ipc.path",
  ),

  "rpc.profile": rpc.flag(
    choice(["service", "klaytn", "kaia"]),
    "service",
    "implementation to follow where nodes differ",
  ),
  maxRequestContentLength: rpc.flag(
    integerKind(1),
    524_288,
    "maximum size of a request, in bytes",
    "p2p.max-request-content-length",
  ),
  "rpc.max-answer-bytes": rpc.flag(
    integerKind(1),
    25_000_000,
    "maximum size of the response to one message, in bytes",
  ),
  "rpc.ipc-only-privileges": rpc.flag(
    booleanKind,
    false,
    "serve methods that write files, use keys or control listeners over IPC only",
  ),
  "rpc.unsafe-debug.disable": rpc.flag(
    booleanKind,
    false,
    "serve unsafe debug methods (files, process, custom tracers) over IPC only",
    "http-rpc.unsafe-debug.disable",
  ),
  "rpc.unsafe-debug.heavy-debug.request-limit": rpc.flag(
    integerKind(0),
    500,
    "limit of concurrent traces while those are disabled",
  ),
  "rpc.eth.noncompatible": rpc.flag(
    booleanKind,
    false,
    "respond to eth methods as to the klay or kaia method of the same name",
    "http-rpc.eth-noncompatible",
  ),
  srvtype: rpc.flag(
    choice(["http", "fasthttp"]),
    "http",
    "no effect: there is one kind of HTTP server",
    "common.srvtype",
  ),
  "rpc.concurrencylimit": rpc.flag(integerKind(0), 3_000, "no effect", "http-rpc.concurrency-limit"),
  "api.filter.getLogs.maxitems": rpc.flag(
    integerKind(0),
    10_000,
    "maximum number of logs in one response; 0 for no limit",
  ),
  "api.filter.getLogs.deadline": rpc.flag(duration, 10_000, "time limit of a log search"),
  "rpc.gascap": rpc.flag(
    integerKind(0),
    0,
    "gas cap of calls and gas estimates; 0 for no cap",
    "http-rpc.gascap",
  ),
  "rpc.ethtxfeecap": rpc.flag(
    coins,
    0,
    "fee cap of transactions sent by eth_ methods, in KAIA; 0 for no cap",
    "http-rpc.eth-tx-feecap",
  ),
  "rpc.evmtimeout": rpc.flag(
    duration,
    5_000,
    "time limit of eth_call; 0 for no limit",
    "http-rpc.evmtimeout",
  ),
};
