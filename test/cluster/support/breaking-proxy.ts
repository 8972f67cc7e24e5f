/**
 * Stands between a client and the API server, breaks what it is told to break, and notes what passes. The client
 * speaks plain HTTP with it and is known by its token.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request as forward } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { json } from "node:stream/consumers";

/** Faults of requests. */
export type Fault = keyof typeof faults;

/** A write that the server carried out. */
export interface PassedWrite {
  /** The object, or for one that is new its kind's path. */
  readonly path: string;
  /** The version of the object that it left behind. */
  readonly version: string;
}

/** The proxy. */
export interface BreakingProxy extends AsyncDisposable {
  readonly url: string;
  /** From now on; streams that are open meet it as well. */
  fault: Fault | undefined;
  /** Requests that came, whatever became of them. */
  requests(): number;
  /** Milliseconds since the last request that was not about a lease. */
  quietMs(): number;
  /** Called with every write that the server carried out, leases aside, before its answer is passed on. */
  onWrite: (write: PassedWrite) => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly isWatch: boolean;
}

type Break = (exchange: Exchange) => "pass" | "broken";

const REFUSAL = { apiVersion: "v1", kind: "Status", status: "Failure", message: "broken on purpose" };

function refuse(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Break {
  return ({ response }) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ ...REFUSAL, code, reason }));
    return "broken";
  };
}

/** An event on a watch, then its end; other requests pass. */
function watchEnds(text: string): Break {
  return ({ response, isWatch }) => {
    if (!isWatch) return "pass";
    response.writeHead(200, { "content-type": "application/json" });
    response.end(text);
    return "broken";
  };
}

const GONE = { ...REFUSAL, code: 410, reason: "Expired" };

/** Effect on requests that begin; those under way are cut off when a fault begins. */
export const faults = {
  reset: ({ request }) => {
    request.socket.resetAndDestroy();
    return "broken";
  },
  "410 as a status": (exchange) => (exchange.isWatch ? refuse(410, "Expired")(exchange) : "pass"),
  "410 as an event": watchEnds(`${JSON.stringify({ type: "ERROR", object: GONE })}\n`),
  "429 with a wait": refuse(429, "TooManyRequests", { "retry-after": "1" }),
  "500": refuse(500, "InternalError"),
  "503 without JSON": ({ response }) => {
    response.writeHead(503).end("<html>no upstream</html>");
    return "broken";
  },
  silence: () => "broken",
  "watches that end at once": watchEnds(""),
  "a line that is cut": watchEnds('{"type":"MODIFIED","object":{"metadata":{"na'),
  "a line that is not JSON": watchEnds('{"type":"MODIFIED","object":\n'),
  "half an answer": ({ response, isWatch }) => {
    if (isWatch) return "pass";
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"items":[', () => response.destroy());
    return "broken";
  },
} as const satisfies Readonly<Record<string, Break>>;

/** Opens it in front of `server`, an `https:` address. */
export async function openBreakingProxy(server: string): Promise<BreakingProxy> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false }); // of this test's own making
  const sockets = new Set<Socket>();
  let requests = 0;
  let last = performance.now();
  let fault: Fault | undefined;
  const listener = createServer((request, response) => {
    requests++;
    if (!isOfLease(request.url)) last = performance.now();
    const isWatch = request.url?.includes("watch=1") === true;
    if (fault !== undefined && faults[fault]({ request, response, isWatch }) === "broken") return;
    pass(request, response);
  });
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", headers } = request;
    const sent = forward(new URL(request.url ?? "/", server), { agent, method, headers }, (answer) => {
      const { statusCode = 502 } = answer;
      if (method === "GET") {
        response.writeHead(statusCode, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
        answer.on("error", () => response.destroy());
        return;
      }
      void json(answer).then((body) => {
        const [path = ""] = (request.url ?? "").split("?");
        if (statusCode < 300 && !isOfLease(path)) proxy.onWrite({ path, version: versionOf(body) });
        const { "content-length": _length, "transfer-encoding": _encoding, ...kept } = answer.headers;
        response.writeHead(statusCode, kept).end(JSON.stringify(body));
      });
    });
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    request.pipe(sent);
  };
  listener.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo; // listening on TCP
  const proxy: BreakingProxy = {
    url: `http://127.0.0.1:${port}`,
    get fault() {
      return fault;
    },
    set fault(next) {
      fault = next;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    requests: () => requests,
    quietMs: () => performance.now() - last,
    onWrite: () => undefined,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await once(listener, "close");
    },
  };
  return proxy;
}

function isOfLease(path = ""): boolean {
  return path.includes("/leases/");
}

function versionOf(body: unknown): string {
  const { metadata } = body as { metadata?: { resourceVersion?: unknown } };
  return typeof metadata?.resourceVersion === "string" ? metadata.resourceVersion : "";
}
