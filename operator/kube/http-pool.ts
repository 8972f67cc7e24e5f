/**
 * HTTP requests to one server over a limited number of kept-alive connections. In: a request; out: the response when its
 * head has arrived, with the body as a stream. A queued request can be ended at any time.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";

/** A request to the server. */
export interface PoolRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** TLS options of the connection. Connections with other options are not used for the request. */
  readonly tls: Readonly<Record<string, unknown>>;
  /** Ends the request and its response with the reason. */
  readonly signal: AbortSignal;
  /** Maximum silence of the response's body. */
  readonly silenceMs: number;
  /** Called when the first byte is about to be sent; an error that it throws ends the request. */
  readonly beforeSend: () => void;
}

/** The pool. Disposing it closes all connections and fails queued and running requests. */
export interface HttpPool extends Disposable {
  /** Resolves once the head of the response has arrived. Rejects with the signal's reason or the network's error. */
  send(request: PoolRequest): Promise<IncomingMessage>;
}

/** Limits of a pool. */
export interface HttpPoolOptions {
  readonly connections: number;
  readonly connectMs: number;
}

/** Idle connections are closed after this time. */
const IDLE_MS = 30_000;

/** Opens a pool for the server of a URL. The first request opens the first connection. */
export function openHttpPool(origin: string, { connections, connectMs }: HttpPoolOptions): HttpPool {
  const server = urlToHttpOptions(new URL(origin));
  const isSecure = server.protocol === "https:";
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({
    keepAlive: true,
    maxSockets: connections,
    timeout: IDLE_MS,
  });
  const begin = isSecure ? httpsRequest : httpRequest;
  const connected = new WeakSet<Socket>();
  const running = new Set<ClientRequest>();
  let isClosed = false;

  /** Calls back once a connection can carry the request. */
  const whenConnected = (sent: ClientRequest, socket: Socket, callback: () => void): void => {
    if (connected.has(socket)) return callback();
    const late = (): void => void sent.destroy(new Error(`no connection within ${connectMs} ms`));
    const timer = setTimeout(late, connectMs);
    socket.once("close", () => clearTimeout(timer));
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      connected.add(socket);
      callback();
    });
  };

  return {
    send: ({ method, path, headers, body, tls, signal, silenceMs, beforeSend }) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new Error("the connections are closed");
        signal.throwIfAborted();
        const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
        const sent = begin({ ...server, ...tls, agent, method, path, headers: { ...headers, ...length } });
        let response: IncomingMessage | undefined;
        const abort = (): void => void (response ?? sent).destroy(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        running.add(sent);
        sent.once("close", () => {
          running.delete(sent);
          signal.removeEventListener("abort", abort);
        });
        sent.on("error", reject);
        sent.once("socket", (socket: Socket) =>
          whenConnected(sent, socket, () => {
            try {
              beforeSend();
              sent.end(body);
            } catch (error) {
              sent.destroy(error as Error); // what the callback throws
            }
          }),
        );
        sent.once("response", (answer) => {
          response = answer;
          sent.setTimeout(silenceMs, () =>
            answer.destroy(new Error(`the response was silent for ${silenceMs} ms`)),
          );
          resolve(answer);
        });
      }),
    [Symbol.dispose]() {
      isClosed = true;
      for (const sent of running) sent.destroy(new Error("the connections are closed"));
      agent.destroy();
    },
  };
}
