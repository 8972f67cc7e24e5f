/** HTTP listeners of the operator: `/healthz`, `/readyz` and `/metrics`, and pages on the loopback address. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** Loaded without `import`, which evaluates every export of the module, including a fetch client of 4 MiB. */
const { createServer } = process.getBuiltinModule("node:http");

/** Status, content type and body of an answer. */
export type PageAnswer = readonly [status: number, type: string, body: string];

/** Options of a listener. */
export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Answers to GET by path. */
  readonly routes: Readonly<Record<string, () => PageAnswer | Promise<PageAnswer>>>;
  /** Headers of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers only requests for these host names; all when absent. A page of another host in a browser gets nothing then. */
  readonly hosts?: readonly string[];
}

/** Options of the endpoints. */
export interface HealthOptions extends Pick<ListenerOptions, "host" | "port"> {
  readonly ready: () => boolean;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
}

/** The listener. */
export interface Health extends AsyncDisposable {
  readonly port: number;
}

/** Opens the endpoints. Rejects when the address is in use. */
export function openHealth({ host, port, ready, metrics }: HealthOptions): Promise<Health> {
  return openListener({
    host,
    port,
    routes: {
      "/healthz": () => [200, "text/plain", "ok\n"],
      "/readyz": () => (ready() ? [200, "text/plain", "ok\n"] : [503, "text/plain", "not ready\n"]),
      "/metrics": async () => [200, metrics.contentType, await metrics.render()],
    },
  });
}

/** Opens a listener. Rejects when the address is in use. */
export async function openListener({ host, port, routes, headers, hosts }: ListenerOptions): Promise<Health> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const named = (request.headers.host ?? "").replace(/:\d+$/, "");
    const isServed = request.method === "GET" && (hosts === undefined || hosts.includes(named));
    const route = isServed ? routes[request.url ?? ""] : undefined;
    Promise.resolve(route?.() ?? ([404, "text/plain", "not found\n"] as const)).then(
      ([status, type, body]) => response.writeHead(status, { ...headers, "content-type": type }).end(body),
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
