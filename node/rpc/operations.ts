/**
 * The listener for whoever runs the node: `/metrics` for Prometheus, `/healthz` (the process works), `/readyz`
 * (the chain can be asked and moves on). Nothing here changes anything.
 */
import { fastify } from "fastify";
import type { Listener, TcpAddress } from "./listener.ts";

/** What the routes tell. */
export interface OperationsOptions extends TcpAddress {
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
  /** Why the node is not ready, a word each; none when it is. */
  readonly notReady: () => readonly string[];
}

/** Bytes of a request; none of the routes takes a body. */
const MAX_BODY = 1024;

/** Opens the listener. Rejects when the address is taken. */
export async function openOperations(options: OperationsOptions): Promise<Listener> {
  const { host, port, metrics, notReady } = options;
  const server = fastify({ bodyLimit: MAX_BODY, forceCloseConnections: true });
  server.get("/metrics", async (_request, reply) => {
    const text = await metrics.render();
    return reply.type(metrics.contentType).send(text);
  });
  server.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
  server.get("/readyz", (_request, reply) => {
    const reasons = notReady();
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons });
  });
  const origin = await server.listen({ host, port });
  return {
    url: `${origin}/metrics`,
    address: new URL(origin).host,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
