/** HTTP endpoints of the operator: `/healthz`, `/readyz` and `/metrics`. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** Loaded without `import`, which evaluates every export of the module, including a fetch client of 4 MiB. */
const { createServer } = process.getBuiltinModule("node:http");

/** Options of the endpoints. */
export interface HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly ready: () => boolean;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
}

/** The listener. */
export interface Health extends AsyncDisposable {
  readonly port: number;
}

/** Opens the listener. Rejects when the address is in use. */
export async function openHealth({ host, port, ready, metrics }: HealthOptions): Promise<Health> {
  const routes: Readonly<Record<string, () => Promise<readonly [number, string, string]>>> = {
    "/healthz": () => Promise.resolve([200, "text/plain", "ok\n"]),
    "/readyz": () =>
      Promise.resolve(ready() ? [200, "text/plain", "ok\n"] : [503, "text/plain", "not ready\n"]),
    "/metrics": async () => [200, metrics.contentType, await metrics.render()],
  };
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const route = request.method === "GET" ? routes[request.url ?? ""] : undefined;
    const answer = route?.() ?? Promise.resolve([404, "text/plain", "not found\n"] as const);
    answer.then(
      ([status, type, text]) => response.writeHead(status, { "content-type": type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = 64;
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port, // listening on TCP
    async [Symbol.asyncDispose]() {
      const gone = once(server, "close");
      server.close();
      server.closeAllConnections();
      await gone;
    },
  };
}
