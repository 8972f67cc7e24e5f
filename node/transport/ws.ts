/**
 * The WebSocket listener: accepts upgrades on any path, checks the origin and carries text frames both ways.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import type { WebSocket, WebSocketServer } from "ws";
import type { RpcEndpoint } from "../jsonrpc/dispatch.ts";
import { MemoryBudget } from "../jsonrpc/memory-budget.ts";
import type { SubscriptionLimit } from "../jsonrpc/subscriptions.ts";
import { CLOSE_MS, destroyInTime } from "./closing.ts";
import { Outbox, ReplyTurn } from "./fast/outbox.ts";
import { readFrames } from "./fast/ws-frames.ts";
import { closeCodes } from "./fast/ws-messages.ts";
import { type Bound, type Listener, listenOn, type TcpAddress } from "./listener.ts";
import { http } from "./node-http.ts";
import { wsOptions } from "./options.ts";
import { clientOf, Places } from "./places.ts";
import { type StreamLimits, StreamSession, streamDefaults, type Wire } from "./stream-session.ts";

/** Options of a WebSocket listener. */
export interface WsListenerOptions extends TcpAddress {
  readonly endpoint: RpcEndpoint;
  readonly subscriptionLimit: SubscriptionLimit;
  /** Permitted origins, or `*`. Without any `http://localhost` and the machine's name are permitted. */
  readonly origins?: readonly string[];
  /** Returns the URL of the HTTP listener that serves the page; its origin is permitted, too. */
  readonly pageUrl?: (() => string | undefined) | undefined;
  readonly maxConnections?: number;
  readonly maxMessage?: number;
  /** Milliseconds from the first byte of a message to its last. */
  readonly messageMs?: number;
  /** Milliseconds until a connection is closed, counted from its beginning; 0 for no limit. */
  readonly readDeadlineMs?: number;
  readonly limits?: Partial<StreamLimits>;
  /** Bytes of partial messages of all connections together. */
  readonly maxBuffered?: number;
}

/** Opens a listener, which serves once the promise has resolved. Rejects when the address is in use. */
export async function openWs(options: WsListenerOptions): Promise<Listener> {
  const upgrade = upgrades(options);
  const settings = { headersTimeout: 30_000, requestTimeout: 30_000, noDelay: true, ...PROBED };
  const refused = new WeakSet<Socket>();
  const server = http.createServer(settings, ({ socket }, response) => {
    if (refused.has(socket)) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    const body = "Bad Request\n";
    response.writeHead(400, { ...REFUSED, "Content-Length": body.length, Connection: "close" });
    response.end(body);
  });
  const places = new Places((options.maxConnections ?? MAX_CONNECTIONS) + NOT_UPGRADED);
  server.on("connection", (socket: Socket) => {
    if (!places.take(socket)) socket.destroy();
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    upgrade.take(request, socket, head);
  });
  const bound = await listenOn(server, options);
  const { address } = bound;
  return {
    url: `ws://${address}`,
    address,
    retire: () => void bound.close(),
    [Symbol.asyncDispose]: () => close(server, bound, upgrade.peers),
  };
}

/** Keep-alive probes of the system notice a peer whose machine has failed. */
const PROBED = { keepAlive: true, keepAliveInitialDelay: 60_000 };

/** The Go node's limit. */
const MAX_CONNECTIONS = wsOptions.maxConnections.default;
/** Further connections, which have not requested an upgrade yet or are refused one. */
const NOT_UPGRADED = 1000;
/** Maximum bytes of a message. */
const MAX_MESSAGE = 512 * 1024;
/** Time from the first byte of a message to its last, as for HTTP requests. */
const MESSAGE_MS = 30_000;

/** Checks upgrades and creates connections. The first one loads the library. */
function upgrades(options: WsListenerOptions) {
  const { maxConnections = MAX_CONNECTIONS, maxMessage = MAX_MESSAGE } = options;
  const origins = allowedOrigins(options.origins ?? []);
  const peers = new Map<WebSocket, Outbox>();
  const places = new Places(maxConnections);
  const halves = new MemoryBudget(options.maxBuffered ?? 64 * 1024 * 1024);
  const turn = new ReplyTurn();
  let loading: Promise<WebSocketServer> | undefined;
  const handle = (upgrader: WebSocketServer, request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!places.take(socket)) return refuse(socket, "200 OK", "");
    upgrader.handleUpgrade(request, socket, head, (peer) => {
      peers.set(peer, serve(peer, socket, { options, halves, turn }));
      options.subscriptionLimit.connections++;
      peer.once("close", () => {
        peers.delete(peer);
        options.subscriptionLimit.connections--;
      });
    });
  };
  return {
    peers,
    take: (request: IncomingMessage, socket: Socket, head: Buffer): void => {
      const { origin } = request.headers;
      const fault = faultOf(request);
      if (fault !== undefined) return refuse(socket, fault);
      if (!isOriginAllowed(origin, origins) && !isOfPage(origin, options.pageUrl?.())) {
        return refuse(socket, "403 Forbidden");
      }
      loading ??= createUpgrader(maxMessage);
      loading.then(
        (upgrader) => handle(upgrader, request, socket, head),
        () => socket.destroy(),
      );
    },
  };
}

async function createUpgrader(maxPayload: number): Promise<WebSocketServer> {
  const { WebSocketServer: Upgrader } = await import("ws");
  const upgrader = new Upgrader({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: () => false, // there are none, as in the Go node
  });
  upgrader.on("wsClientError", (_error, socket) => refuse(socket as Socket, "400 Bad Request"));
  return upgrader;
}

/** Headers of a refusal, in the Go node's order. */
const REFUSED = {
  "Content-Type": "text/plain; charset=utf-8",
  "Sec-Websocket-Version": "13",
  "X-Content-Type-Options": "nosniff",
};

/** Returns the status of a request that is no upgrade to version 13; undefined for others (RFC 6455, section 4.2.1). */
function faultOf({ method, headers }: IncomingMessage): string | undefined {
  if (headers.upgrade?.toLowerCase() !== "websocket") return "400 Bad Request";
  if (method !== "GET") return "405 Method Not Allowed";
  return headers["sec-websocket-version"] === "13" ? undefined : "400 Bad Request";
}

function allowedOrigins(origins: readonly string[]): ReadonlySet<string> {
  const given = origins.filter((origin) => origin !== "").map((origin) => origin.toLowerCase());
  return new Set(given.length > 0 ? given : ["http://localhost", `http://${hostname().toLowerCase()}`]);
}

/** True for the origin of the page: by the listener's own address, or as localhost. */
function isOfPage(origin: string | undefined, pageUrl: string | undefined): boolean {
  if (pageUrl === undefined) return false;
  const { port } = new URL(pageUrl);
  return origin === pageUrl || origin === `http://localhost:${port}` || origin === `http://127.0.0.1:${port}`;
}

function isOriginAllowed(origin: string | undefined, allowed: ReadonlySet<string>): boolean {
  return origin === undefined || origin === "" || allowed.has("*") || allowed.has(origin.toLowerCase());
}

/** Refuses an upgrade. What the peer has sent behind it is dropped, and a peer that stays is cut off. */
function refuse(socket: Socket, status: string, body = `${status.slice(4)}\n`): void {
  const headers = Object.entries(REFUSED).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status}\r\n${body === "" ? "" : headers.join("")}`;
  socket.end(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
  socket.resume();
  destroyInTime(socket);
}

/** Counts the memory of a connection's partial messages and enforces their deadline. */
function limitHalves(
  peer: WebSocket,
  { halves, options: { messageMs = MESSAGE_MS }, owner }: Shared & Pick<Wire, "owner">,
  refusePeer: (closeCode: number) => void,
): (memory: number, isNew: boolean) => void {
  const holder = { owner, onDrop: () => refusePeer(closeCodes.policy) };
  let deadline: NodeJS.Timeout | undefined;
  const expire = (): void => {
    if (!peer.isPaused) return refusePeer(closeCodes.policy);
    deadline = setTimeout(expire, messageMs); // it is this side that does not read
  };
  const count = (memory: number, isNew: boolean): void => {
    halves.hold(holder, memory);
    if (memory === 0 || isNew) {
      clearTimeout(deadline);
      deadline = undefined;
    }
    if (memory > 0 && peer.readyState === peer.OPEN) deadline ??= setTimeout(expire, messageMs);
  };
  peer.on("close", () => count(0, false));
  return count;
}

/** State that the connections of a listener share. */
interface Shared {
  readonly options: WsListenerOptions;
  readonly halves: MemoryBudget;
  readonly turn: ReplyTurn;
}

function serve(peer: WebSocket, socket: Socket, shared: Shared): Outbox {
  const { options, turn } = shared;
  const { endpoint, subscriptionLimit, readDeadlineMs = 0, maxMessage = MAX_MESSAGE } = options;
  const limits = { ...streamDefaults, ...options.limits };
  const outbox: Outbox = new Outbox(socket, turn, () => session.onDrain());
  const owner = clientOf(socket);
  const wire: Wire = { ...wireOf(peer, outbox), time: endpoint.time.open(owner), owner };
  const session: StreamSession = new StreamSession(endpoint, subscriptionLimit, wire, limits);
  let closing: NodeJS.Timeout | undefined;
  const refusePeer = (closeCode: number): void => {
    reading.stop();
    count(0, false);
    outbox.finish();
    peer.close(closeCode);
    closing ??= setTimeout(() => peer.terminate(), CLOSE_MS);
  };
  const count = limitHalves(peer, { ...shared, owner }, refusePeer);
  const reading = readFrames(peer, socket, {
    maxMessage,
    onText: (text) => session.receive(text),
    onHalf: count,
    onFault: refusePeer,
  });
  const deadline = readDeadlineMs > 0 ? setTimeout(() => peer.terminate(), readDeadlineMs) : undefined;
  peer.on("error", () => undefined); // a broken control frame: `ws` closes with the right code
  peer.on("close", () => {
    clearTimeout(deadline);
    clearTimeout(closing);
    session.close();
  });
  return outbox;
}

function wireOf(peer: WebSocket, outbox: Outbox): Wire {
  return {
    write: (text, isAscii) => writeText(peer, outbox, text, isAscii),
    unsent: () => outbox.unsent,
    pause: () => peer.pause(),
    resume: () => peer.resume(),
    end: () => {
      outbox.finish();
      peer.close();
    },
    destroy: () => peer.terminate(),
  };
}

/**
 * Sends a text frame, framed here: an ASCII text, as nearly all are, takes one string and no buffers. Frames
 * of `ws` itself (pong, close) are whole writes too, so the two cannot mix.
 */
function writeText(
  peer: WebSocket,
  outbox: Outbox,
  text: string,
  isAscii = Buffer.byteLength(text) === text.length,
): void {
  if (peer.readyState !== peer.OPEN) return;
  const bytes = isAscii ? text : Buffer.from(text).toString("latin1"); // a character a byte: a frame is one write
  outbox.write(frameHead(bytes.length) + bytes, "latin1");
}

/** Returns the head of a whole text frame, one character per byte (RFC 6455, section 5.2). */
function frameHead(length: number): string {
  if (length < 126) return String.fromCharCode(TEXT_FRAME, length);
  if (length <= 0xffff) return String.fromCharCode(TEXT_FRAME, 126, length >> 8, length & 0xff);
  const bytes = Buffer.from([TEXT_FRAME, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  bytes.writeUIntBE(length, 4, 6);
  return bytes.toString("latin1");
}

const TEXT_FRAME = 0x81;

async function close(server: Server, bound: Bound, peers: ReadonlyMap<WebSocket, Outbox>): Promise<void> {
  const closed = bound.close();
  for (const [peer, outbox] of peers) {
    outbox.finish();
    peer.close(1001);
  }
  const deadline = setTimeout(() => {
    for (const peer of peers.keys()) peer.terminate();
  }, 1000);
  server.closeAllConnections();
  await closed;
  clearTimeout(deadline);
}
