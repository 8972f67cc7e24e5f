/**
 * The HTTP listener. A strict fast path on bare sockets answers keep-alive POSTs, which nearly all clients
 * send. At the first request of any other form the connection moves, with its unread bytes, to a full HTTP
 * server. One sweep a second enforces the deadlines, without timers per request.
 */
import { createServer, type Server, type Socket } from "node:net";
import type { RpcEndpoint } from "../jsonrpc/dispatch.ts";
import { MemoryBudget } from "../jsonrpc/memory-budget.ts";
import { type ConnectionHost, HttpConnection } from "./fast/http-connection.ts";
import { HeadReader } from "./fast/http-head.ts";
import { ReplyTurn } from "./fast/outbox.ts";
import { type HttpLimits, httpDefaults } from "./http-limits.ts";
import { lazyServer, type SocketServer } from "./lazy-server.ts";
import { type Listener, listenOn, type TcpAddress } from "./listener.ts";
import type { PageOptions } from "./page.ts";
import { Places } from "./places.ts";

/** Options of an HTTP listener. */
export interface HttpListenerOptions extends TcpAddress {
  readonly endpoint: RpcEndpoint;
  /** Permitted origins, or `*`. Without any no CORS headers are sent. */
  readonly cors?: readonly string[];
  /** Permitted host names besides addresses, or `*`. */
  readonly virtualHosts?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
  /** The page for browsers; not served without. */
  readonly page?: PageOptions | undefined;
}

const SWEEP_MS = 1000;
/** Time for pending answers after a listener has closed. */
const CLOSE_MS = 2000;

/** Opens a listener, which serves once the promise has resolved. Rejects when the address is in use. */
export async function openHttp(options: HttpListenerOptions): Promise<Listener> {
  const { endpoint, cors = [], page } = options;
  const limits = limitsOf(options.limits ?? {});
  const virtualHosts = (options.virtualHosts ?? ["localhost"]).map((host) => host.toLowerCase());
  const halves = new MemoryBudget(limits.maxBuffered);
  const fallback = lazyServer(async () => {
    const { openHttpFallback } = await import("./http-fallback.ts");
    return openHttpFallback({ endpoint, limits, halves, virtualHosts, cors, page });
  });
  const rules = { maxBody: limits.maxBody, virtualHosts, hasCors: cors.length > 0 };
  const heads = new HeadReader(rules);
  const fast = new FastServer({ endpoint, limits, halves, heads }, fallback, cors.length > 0);
  const bound = await listenOn(fast.server, options);
  const { address } = bound;
  return {
    url: `http://${address}`,
    address,
    retire: () => void bound.close(),
    [Symbol.asyncDispose]: async () => {
      void bound.close();
      await fast.close();
      await fallback[Symbol.asyncDispose]();
    },
  };
}

/** Returns the given limits; defaults replace those that are not positive. */
function limitsOf(given: Partial<HttpLimits>): HttpLimits {
  const positive = Object.entries(given).filter(([, value]) => value !== undefined && value > 0);
  return { ...httpDefaults, ...Object.fromEntries(positive) };
}

class FastServer implements ConnectionHost {
  readonly endpoint: RpcEndpoint;
  readonly heads: HeadReader;
  readonly limits: HttpLimits;
  readonly server: Server;
  now = performance.now();
  readonly halves: MemoryBudget;
  replyHead = "";
  readonly turn = new ReplyTurn();
  readonly #connections = new Set<HttpConnection>();
  readonly #fallback: SocketServer;
  readonly #vary: string;
  readonly #timer: NodeJS.Timeout;
  #onEmpty: (() => void) | undefined;

  constructor(
    parts: Pick<ConnectionHost, "endpoint" | "heads" | "limits" | "halves">,
    fallback: SocketServer,
    hasCors: boolean,
  ) {
    this.endpoint = parts.endpoint;
    this.heads = parts.heads;
    this.limits = parts.limits;
    this.halves = parts.halves;
    this.#fallback = fallback;
    this.#vary = hasCors ? "Vary: Origin\r\n" : "";
    const places = new Places(this.limits.maxConnections);
    this.server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
      if (places.take(socket)) this.#connections.add(new HttpConnection(socket, this));
      else socket.destroy();
    });
    this.#sweep();
    const { readMs, idleMs, writeMs, executionMs } = this.limits;
    this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, readMs, idleMs, writeMs, executionMs));
    this.#timer.unref();
  }

  handOver(connection: HttpConnection, socket: Socket, unread: Buffer): void {
    this.forget(connection);
    socket.pause();
    socket.unshift(unread);
    this.#fallback.take(socket);
  }

  forget(connection: HttpConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty?.();
  }

  /** Waits for pending answers; resolves when the fast path has no connection left. */
  close(): Promise<void> {
    const deadline = setTimeout(() => this.#sweepAll(Number.POSITIVE_INFINITY), CLOSE_MS);
    for (const connection of this.#connections) connection.stop();
    return new Promise((resolve) => {
      this.#onEmpty = () => {
        clearTimeout(deadline);
        clearInterval(this.#timer);
        resolve();
      };
      if (this.#connections.size === 0) this.#onEmpty();
    });
  }

  #sweepAll(now: number): void {
    for (const connection of this.#connections) connection.sweep(now);
  }

  #sweep(): void {
    this.now = performance.now();
    const date = new Date().toUTCString();
    this.replyHead = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${this.#vary}Date: ${date}\r\nContent-Length: `;
    this.#sweepAll(this.now);
  }
}
