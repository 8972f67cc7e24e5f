/**
 * The full HTTP server behind the fast path, for everything but plain keep-alive POSTs. `fastify` answers the
 * ordinary routes (health, CORS preflight); other forms of JSON-RPC (chunked, other methods, with an Origin)
 * go to the endpoint. It receives sockets and never listens.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type FastifyInstance, fastify } from "fastify";
import { PARSE_ERROR, type RpcEndpoint } from "../jsonrpc/dispatch.ts";
import type { Holder, MemoryBudget } from "../jsonrpc/memory-budget.ts";
import { destroyInTime } from "./closing.ts";
import { RequestSession } from "./fast/http-connection.ts";
import { isHostAllowed, isHostReadable, isJsonType, MAX_HEAD_BYTES } from "./fast/http-head.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { SocketServer } from "./lazy-server.ts";
import { http } from "./node-http.ts";
import { holdReading } from "./paced-socket.ts";
import { isPageRequest, type PageOptions, sendPage } from "./page.ts";
import { clientOf } from "./places.ts";
import { REQUEST_COST, readBody } from "./request-body.ts";
import { socketServer } from "./socket-server.ts";

/** Options of the server, from its listener. */
export interface FallbackOptions {
  readonly endpoint: RpcEndpoint;
  readonly limits: HttpLimits;
  readonly halves: MemoryBudget;
  readonly virtualHosts: readonly string[];
  /** Permitted origins, or `*`. Without any no CORS headers are sent. */
  readonly cors: readonly string[];
  /** The page for browsers; undefined where it is not served. */
  readonly page: PageOptions | undefined;
}

/** Opens the server. The first connection that needs it loads it and its libraries. */
export async function openHttpFallback(options: FallbackOptions): Promise<SocketServer> {
  const app = fastify({
    logger: false,
    serverFactory: (ordinary) => createHttpServer(options, ordinary),
    rewriteUrl: () => "/", // every path is served alike, those too that cannot be decoded
    clientErrorHandler: refuseBytes,
  });
  addRoutes(app, options);
  await app.ready();
  return socketServer(app, options.halves);
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function createHttpServer(options: FallbackOptions, ordinary: Handler): Server {
  const { limits, virtualHosts } = options;
  const settings = {
    maxHeaderSize: MAX_HEAD_BYTES,
    requestTimeout: limits.readMs,
    headersTimeout: limits.readMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1000, limits.readMs),
    requireHostHeader: false, // it is judged here, with the Go node's text
  };
  return http.createServer(settings, (request, response) => {
    const problem = headProblem(request);
    // What follows on the connection would be of another protocol, and the server does not read it.
    if (request.headers.upgrade !== undefined) response.setHeader("Connection", "close");
    if (problem !== undefined) {
      refuseHead(response, problem);
    } else if (!isHostAllowed(hostOf(request), virtualHosts)) {
      refuse(response, 403, "invalid host specified");
    } else if (options.page !== undefined && isPageRequest(request)) {
      sendPage(request, response, options.page);
    } else if (isHealthCheck(request) || isPreflight(request, options.cors)) {
      ordinary(request, response);
    } else {
      setCorsHeaders(request, response, options.cors);
      answerRpc(request, response, options).catch(() => request.socket.destroy()); // the peer left meanwhile
    }
  });
}

/** A request target in absolute form (RFC 9112, section 3.2.2): its authority replaces the Host header. */
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;
const HALF_ESCAPE = /%(?![0-9a-f]{2})/i;
/** An authority whose brackets, if any, enclose an IPv6 address. */
const AUTHORITY = /^(\[[0-9a-f:.%]+\](:\d*)?|[^[\]]*)$/i;

function hostOf({ url = "/", headers }: IncomingMessage): string {
  return ABSOLUTE.exec(url)?.[1] ?? headers.host ?? "";
}

/** Returns the status with which Go's HTTP server refuses a head that Node's accepts; undefined for a good one. */
function headProblem(request: IncomingMessage): string | undefined {
  const { httpVersionMajor, httpVersionMinor, url = "/", rawHeaders } = request;
  if (httpVersionMajor !== 1) return "505 HTTP Version Not Supported: unsupported protocol version";
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts === 0 && httpVersionMinor > 0) return "400 Bad Request: missing required Host header";
  if (hosts > 1 || HALF_ESCAPE.test(url) || !AUTHORITY.test(ABSOLUTE.exec(url)?.[1] ?? "")) {
    return "400 Bad Request";
  }
  return isHostReadable(hostOf(request)) ? undefined : "400 Bad Request: malformed Host header";
}

/** Refuses a head in the form of Go's HTTP server and closes the connection. */
function refuseHead(response: ServerResponse, status: string): void {
  response.writeHead(Number(status.slice(0, 3)), {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": status.length,
    Connection: "close",
  });
  response.end(status);
}

function addRoutes(app: FastifyInstance, { cors }: FallbackOptions): void {
  app.get("/*", (request, reply) => {
    setCorsHeaders(request.raw, reply.raw, cors);
    void reply.code(200).header("content-length", "0").send();
  });
  app.options("/*", (request, reply) => {
    setPreflightHeaders(request.raw, reply.raw, cors);
    void reply.code(200).header("content-length", "0").send();
  });
}

/** Reports if a request is a health check: a GET without body and query. */
function isHealthCheck({ method, headers, url = "/" }: IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return method === "GET" && !hasBody && !url.includes("?");
}

function isPreflight({ method, headers, url = "/" }: IncomingMessage, cors: readonly string[]): boolean {
  const asks = headers["access-control-request-method"] !== undefined;
  return cors.length > 0 && method === "OPTIONS" && asks && url.startsWith("/");
}

function allowedOrigin(request: IncomingMessage, cors: readonly string[]): string | undefined {
  const { origin } = request.headers;
  if (origin === undefined) return undefined;
  if (cors.includes("*")) return "*";
  return cors.some((allowed) => allowed.toLowerCase() === origin.toLowerCase()) ? origin : undefined;
}

function setCorsHeaders(request: IncomingMessage, response: ServerResponse, cors: readonly string[]): void {
  if (cors.length === 0) return;
  response.setHeader("Vary", "Origin");
  const origin = allowedOrigin(request, cors);
  if (origin !== undefined) response.setHeader("Access-Control-Allow-Origin", origin);
}

const CORS_METHODS = new Set(["POST", "GET"]);

function setPreflightHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  cors: readonly string[],
): void {
  response.setHeader("Vary", ["Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"]);
  const method = (request.headers["access-control-request-method"] ?? "").toUpperCase();
  const origin = allowedOrigin(request, cors);
  if (origin === undefined || !CORS_METHODS.has(method)) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Allow-Methods", method);
  const wanted = request.headers["access-control-request-headers"];
  if (wanted !== undefined) response.setHeader("Access-Control-Allow-Headers", wanted);
  response.setHeader("Access-Control-Max-Age", "600");
}

async function answerRpc(
  request: IncomingMessage,
  response: ServerResponse,
  options: FallbackOptions,
): Promise<void> {
  const { limits } = options;
  if (isRefused(request, response, limits)) return;
  const body = await readBody(request, options);
  if (body === undefined) {
    request.socket.destroy();
    return;
  }
  if (!request.complete) response.setHeader("Connection", "close");
  using _next = holdReading(request.socket);
  const answer = answerInTurn(body, response, options);
  const text = answer instanceof Promise ? await inTime(answer, limits.executionMs) : (answer ?? PARSE_ERROR);
  if (text === undefined) return timedOut(response);
  send(response, text);
  if (response.writableLength > 0) limitUnsent(request.socket, response, options);
}

/** Answers a body when there is time for it. Until then it is counted like a partial request. */
function answerInTurn(
  body: string,
  response: ServerResponse,
  { endpoint, halves }: FallbackOptions,
): string | undefined | Promise<string | undefined> {
  const { socket } = response.req;
  const session = new RequestSession(socket);
  response.once("close", () => session.end());
  const { owner } = session.caller;
  const holder: Holder = { owner, onDrop: () => void socket.destroy() };
  halves.hold(holder, REQUEST_COST + body.length);
  return endpoint.time.open(owner).run(() => {
    halves.hold(holder, 0);
    return response.destroyed ? "" : endpoint.answer(body, session);
  });
}

/** Counts the bytes that the peer has not read, and closes the connection when they are not read in time. */
function limitUnsent(socket: Socket, response: ServerResponse, { limits, endpoint }: FallbackOptions): void {
  const holder: Holder = { owner: clientOf(socket), onDrop: () => socket.destroy() };
  endpoint.unsent.hold(holder, response.writableLength);
  const deadline = setTimeout(() => socket.destroy(), limits.writeMs);
  response.once("close", () => {
    clearTimeout(deadline);
    endpoint.unsent.hold(holder, 0);
  });
}

function isRefused(request: IncomingMessage, response: ServerResponse, { maxBody }: HttpLimits): boolean {
  const length = Number(request.headers["content-length"] ?? "0");
  if (request.method === "PUT" || request.method === "DELETE") {
    refuse(response, 405, "method not allowed");
  } else if (length > maxBody) {
    response.setHeader("Connection", "close");
    refuse(response, 413, `content length too large (${length}>${maxBody})`);
  } else if (request.method !== "OPTIONS" && !isJsonType(request.headers["content-type"] ?? "")) {
    refuse(response, 415, "invalid content type, only application/json is supported");
  } else return false;
  return true;
}

function inTime(answer: Promise<string | undefined>, ms: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, undefined);
    void answer.then((text = PARSE_ERROR) => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

function send(response: ServerResponse, text: string): void {
  const isBare = response.req.method === "HEAD" && text === ""; // the Go node says no length then
  const length = isBare ? {} : { "Content-Length": Buffer.byteLength(text) };
  response.writeHead(200, { "Content-Type": "application/json", ...length });
  response.end(text);
}

function timedOut(response: ServerResponse): void {
  response.writeHead(503, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": 7,
    Connection: "close",
  });
  response.end("timeout");
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
};

/** Refuses bytes that are not an HTTP request, in the form of the Go node, and closes the connection. */
function refuseBytes({ code = "" }: { readonly code?: string }, socket: Socket): void {
  const status = UNREADABLE[code] ?? "400 Bad Request";
  const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n";
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${headers}\r\n${status}`);
  socket.destroySoon();
  destroyInTime(socket);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const text = `${message}\n`;
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}
