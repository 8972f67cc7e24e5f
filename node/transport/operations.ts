/**
 * The listener for operators: `/metrics` for Prometheus, `/healthz` (the process works) and `/readyz`
 * (clients may be sent here, else the reasons). `/metrics/own` omits metrics with the Go node's names.
 * Nothing here changes any state.
 */

import { createServer } from "node:net";
import type { Metrics } from "../observe/metrics.ts";
import { lazyServer, type SocketServer } from "./lazy-server.ts";
import { type Listener, listenOn, type TcpPlace } from "./listener.ts";
import { http } from "./node-http.ts";
import { socketServer } from "./socket-server.ts";

/** Sources of the routes' answers. */
export interface OperationsOptions extends TcpPlace {
  readonly metrics: Pick<Metrics, "contentType" | "render">;
  readonly readiness: () => Readiness;
}

/** Readiness for clients; one word for each reason against it, or other remark. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** Maximum bytes of a request; no route takes a body. */
const MAX_BODY = 1024;
const MAX_CONNECTIONS = 100;
const REQUEST_MS = 10_000;

/** Opens the listener. Rejects when the address is in use. */
export async function openOperations(options: OperationsOptions): Promise<Listener> {
  const routes = lazyServer(() => openRoutes(options));
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    routes.take(socket);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const bound = await listenOn(server, options);
  return {
    url: `http://${bound.address}/metrics`,
    address: bound.address,
    retire: () => void bound.close(),
    [Symbol.asyncDispose]: async () => {
      void bound.close();
      await routes[Symbol.asyncDispose]();
    },
  };
}

async function openRoutes({ metrics, readiness }: OperationsOptions): Promise<SocketServer> {
  const { fastify } = await import("fastify");
  const timeouts = {
    requestTimeout: REQUEST_MS,
    headersTimeout: REQUEST_MS,
    connectionsCheckingInterval: 1000,
  };
  const app = fastify({
    bodyLimit: MAX_BODY,
    serverFactory: (handler) => http.createServer(timeouts, handler),
  });
  const scraped = [
    ["/metrics", "all"],
    ["/metrics/own", "own"],
  ] as const;
  for (const [path, shown] of scraped) {
    app.get(path, async (_request, reply) => {
      const text = await metrics.render(shown);
      return reply.type(metrics.contentType).send(text);
    });
  }
  app.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
  app.get("/readyz", (_request, reply) => {
    const current = readiness();
    return reply.code(current.ready ? 200 : 503).send(current);
  });
  await app.ready();
  return socketServer(app);
}
