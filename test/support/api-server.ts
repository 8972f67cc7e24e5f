/** A stand-in for the API server: real HTTP, answers by script, requests kept. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Access } from "../../operator/kube/access.ts";
import { type KubeClient, openKubeClient } from "../../operator/kube/client.ts";
import type { TransportOptions } from "../../operator/kube/transport.ts";

/** A request that came. */
export interface HeardRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** An answer, sent as JSON. */
export interface ScriptedAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request; whoever takes the response sends by himself. */
export type Script = (request: HeardRequest, response: ServerResponse) => ScriptedAnswer | undefined;

/** The stand-in and a client for it. */
export interface ApiServer extends AsyncDisposable {
  readonly client: KubeClient;
  readonly access: Access;
  readonly heard: readonly HeardRequest[];
  /** Number of connections since the start. */
  connections(): number;
}

/** Starts it. */
export async function openApiServer(
  script: Script,
  options: Partial<TransportOptions> = {},
): Promise<ApiServer> {
  const heard: HeardRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      const { pathname: path, searchParams: query } = new URL(request.url ?? "", "http://x");
      const { method = "", headers } = request;
      const known = { method, path, query, headers, body: text === "" ? undefined : JSON.parse(text) };
      heard.push(known);
      const answer = script(known, response);
      if (answer === undefined) return;
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(JSON.stringify(answer.body));
    })();
  });
  let connections = 0;
  server.on("connection", () => {
    connections++;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  const access: Access = {
    origin: `http://127.0.0.1:${port}`,
    prefix: "/base",
    tls: async () => ({}),
    authorization: async () => "Bearer t",
    reportRefusal: () => undefined,
  };
  const client = openKubeClient({
    access,
    userAgent: "test",
    fieldManager: "tester",
    ...options,
  });
  return {
    client,
    access,
    heard,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
