/**
 * The listener for whoever runs the node: `/metrics` for Prometheus, `/healthz` (the process works), `/readyz`
 * (clients can be sent here, else why not). `/metrics/own` leaves out what is there under the Go node's names alone.
 * Nothing here changes anything.
 */

import { createServer } from "node:net";
import type { Metrics } from "../observe/metrics.ts";
import { lazyServer, type SocketServer } from "./lazy-server.ts";
import { type Listener, listenOn, type TcpAddress } from "./listener.ts";
import { http } from "./node-http.ts";
import { socketServer } from "./socket-server.ts";

/** What the routes tell. */
export interface OperationsOptions extends TcpAddress {
  readonly metrics: Pick<Metrics, "contentType" | "render">;
  readonly readiness: () => Readiness;
}

/** Whether clients can be sent to the node; a word for each reason why not, or that is worth knowing. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** Bytes of a request; none of the routes takes a body. */
const MAX_BODY = 1024;
const MAX_CONNECTIONS = 100;
const REQUEST_MS = 10_000;

/** Opens the listener. Rejects when the address is taken. */
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
    const told = readiness();
    return reply.code(told.ready ? 200 : 503).send(told);
  });
  await app.ready();
  return socketServer(app);
}
