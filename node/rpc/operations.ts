/**
 * The listener for whoever runs the node: `/metrics` for Prometheus, `/healthz` (the process works), `/readyz`
 * (the chain can be asked and moves on). Nothing here changes anything.
 */

import { createServer } from "node:net";
import { lazyServer, type SocketServer } from "./lazy-server.ts";
import { type Listener, listenOn, type TcpAddress } from "./listener.ts";
import { http } from "./node-http.ts";
import { socketServer } from "./socket-server.ts";

/** What the routes tell. */
export interface OperationsOptions extends TcpAddress {
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
  /** Why the node is not ready, a word each; none when it is. */
  readonly notReady: () => readonly string[];
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

async function openRoutes({ metrics, notReady }: OperationsOptions): Promise<SocketServer> {
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
  app.get("/metrics", async (_request, reply) => {
    const text = await metrics.render();
    return reply.type(metrics.contentType).send(text);
  });
  app.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
  app.get("/readyz", (_request, reply) => {
    const reasons = notReady();
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons });
  });
  await app.ready();
  return socketServer(app);
}
