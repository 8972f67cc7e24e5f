/** The flags of JSON-RPC: rows of the flag table. */
import { boolean, choice, coins, duration, integer, list, path, port, text } from "./flags-kinds.ts";
import { NODE, rows } from "./flags-rows.ts";

const http = rows("HTTP", NODE);
const ws = rows("WebSocket", NODE);
const ipc = rows("IPC", NODE);
const socket = rows("IPC", [...NODE, "rpc", "save-cache", "attach"]);
const rpc = rows("RPC", NODE);

/** HTTP, WebSocket, IPC and what they share. */
export const rpcFlags = {
  rpc: http.flag(boolean, false, "serve JSON-RPC over HTTP", "http-rpc.enable"),
  rpcaddr: http.flag(text, "127.0.0.1", "address to listen on", "http-rpc.addr"),
  rpcport: http.flag(port, 8551, "port to listen on; 0 takes a free one", "http-rpc.port"),
  rpcapi: http.maybe(
    list,
    "modules to serve; the profile says which when not given: chain,net,rpc",
    "http-rpc.api",
  ),
  rpccorsdomain: http.flag(list, [], "origins that browsers may call from; * is all", "http-rpc.cors-domain"),
  rpcvhosts: http.flag(list, ["localhost"], "host names to answer to; * is all", "http-rpc.vhosts"),
  rpcreadtimeout: http.flag(integer(0), 30, "seconds to read a request", "http-rpc.read-timeout"),
  rpcwritetimeout: http.flag(integer(0), 30, "seconds to write an answer", "http-rpc.write-timeout"),
  rpcidletimeout: http.flag(integer(0), 120, "seconds an unused connection is kept", "http-rpc.idle-timeout"),
  rpcexecutiontimeout: http.flag(integer(0), 30, "seconds a call may take", "http-rpc.execution-timeout"),

  ws: ws.flag(boolean, false, "serve JSON-RPC over WebSocket", "ws-rpc.enable"),
  wsaddr: ws.flag(text, "127.0.0.1", "address to listen on", "ws-rpc.addr"),
  wsport: ws.flag(port, 8552, "port to listen on; 0 takes a free one", "ws-rpc.port"),
  wsapi: ws.maybe(
    list,
    "modules to serve; the profile says which when not given: chain,net,rpc",
    "ws-rpc.api",
  ),
  wsorigins: ws.flag(list, [], "origins that browsers may connect from; * is all", "ws-rpc.origins"),
  wsmaxsubscriptionperconn: ws.flag(
    integer(0),
    3_000,
    "subscriptions of one connection",
    "ws-rpc.max-subscription-per-conn",
  ),
  wsmaxconnections: ws.flag(integer(0), 3_000, "connections at a time", "ws-rpc.max-connections"),
  wsreaddeadline: ws.flag(
    integer(0),
    0,
    "seconds until a connection is read no more; 0 is never",
    "ws-rpc.read-deadline",
  ),
  wswritedeadline: ws.flag(
    integer(0),
    0,
    "seconds to write a message; 0 is no limit",
    "ws-rpc.write-deadline",
  ),

  ipcdisable: ipc.flag(boolean, false, "no IPC socket", "ipc.disable"),
  ipcpath: socket.maybe(path, "the socket; a bare name is inside the data directory", "ipc.path"),

  "rpc.profile": rpc.flag(
    choice(["service", "klaytn", "kaia"]),
    "service",
    "whose answers to give where nodes differ",
  ),
  maxRequestContentLength: rpc.flag(
    integer(1),
    524_288,
    "bytes of the longest request",
    "p2p.max-request-content-length",
  ),
  "rpc.max-answer-bytes": rpc.flag(integer(1), 25_000_000, "bytes of the longest answer to one message"),
  "rpc.ipc-only-privileges": rpc.flag(
    boolean,
    false,
    "methods that write files, use keys or control listeners answer over IPC alone",
  ),
  "rpc.unsafe-debug.disable": rpc.flag(
    boolean,
    false,
    "what writes files, acts on the process or runs callers' tracers is for IPC alone",
    "http-rpc.unsafe-debug.disable",
  ),
  "rpc.unsafe-debug.heavy-debug.request-limit": rpc.flag(
    integer(0),
    500,
    "traces at once over HTTP and WebSocket while those are off",
  ),
  "rpc.eth.noncompatible": rpc.flag(
    boolean,
    false,
    "eth methods answer as those of the chain's own module",
    "http-rpc.eth-noncompatible",
  ),
  srvtype: rpc.flag(
    choice(["http", "fasthttp"]),
    "http",
    "does nothing: there is one kind of server",
    "common.srvtype",
  ),
  "rpc.concurrencylimit": rpc.flag(integer(0), 3_000, "does nothing", "http-rpc.concurrency-limit"),
  "api.filter.getLogs.maxitems": rpc.flag(integer(0), 10_000, "logs in one answer; 0 is no limit"),
  "api.filter.getLogs.deadline": rpc.flag(duration, 10_000, "how long a search for logs may take"),
  "rpc.gascap": rpc.flag(
    integer(0),
    0,
    "the most gas that a call is given, whatever it asks for; 0 is no cap",
    "http-rpc.gascap",
  ),
  "rpc.ethtxfeecap": rpc.flag(
    coins,
    0,
    "KAIA that the fee of a transaction sent by eth_ methods may be; 0 is no cap",
    "http-rpc.eth-tx-feecap",
  ),
  "rpc.evmtimeout": rpc.flag(
    duration,
    5_000,
    "how long a call may run; 0 is no limit",
    "http-rpc.evmtimeout",
  ),
};
