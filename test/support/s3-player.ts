/** An S3 store in this process: objects of one bucket in memory, with the faults that a test asks for. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A fault of the next answers to some requests. */
export interface S3Fault {
  readonly kind: "unavailable" | "cut" | "short" | "long";
  /** Answers that are faulty before the store is well again. */
  times: number;
  readonly method: "GET" | "PUT";
}

/** A running store. */
export interface S3Player extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  fault: S3Fault | undefined;
  /** Requests by method. */
  readonly requests: Record<string, number>;
}

export const S3_KEYS = { accessKeyId: "player", secretAccessKey: "secret of the player" };
const PAGE = 7;

/** Starts a store on a free port. */
export async function openS3Player(): Promise<S3Player> {
  const objects = new Map<string, Buffer>();
  const requests: Record<string, number> = {};
  const player = { objects, requests, fault: undefined as S3Fault | undefined };
  const server = createServer((request, response) => {
    answer(player, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(player, {
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

type State = Pick<S3Player, "objects" | "requests"> & { fault: S3Fault | undefined };

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  state.requests[method] = (state.requests[method] ?? 0) + 1;
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const fault = takeFault(state, method);
  if (fault === "unavailable") return refuse(response, 503, "SlowDown");
  if (!request.headers.authorization?.includes(`Credential=${S3_KEYS.accessKeyId}/`))
    return refuse(response, 403, "AccessDenied");
  const place = new URL(url, "http://s3");
  const key = decodeURIComponent(place.pathname).replace(/^\/bucket\/?/, "");
  if (method === "PUT") return put(state, { key, body: Buffer.concat(pieces), fault }, request, response);
  if (key === "") return list(state, place.searchParams, response);
  if (method === "DELETE") {
    state.objects.delete(key);
    response.writeHead(204).end();
    return;
  }
  const found = state.objects.get(key);
  return found === undefined ? refuse(response, 404, "NoSuchKey") : give(found, fault, response);
}

/** Returns the fault of an answer to this method and counts it. */
function takeFault({ fault }: State, method: string): S3Fault["kind"] | undefined {
  if (fault === undefined || fault.method !== method || fault.times === 0) return undefined;
  fault.times--;
  return fault.kind;
}

function put(
  { objects }: State,
  {
    key,
    body,
    fault,
  }: { readonly key: string; readonly body: Buffer; readonly fault: S3Fault["kind"] | undefined },
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (fault !== undefined) return void response.destroy();
  const sum = createHash("sha256").update(body).digest("hex");
  if (sum !== headers["x-amz-content-sha256"]) return refuse(response, 400, "XAmzContentSHA256Mismatch");
  objects.set(key, body);
  response.end();
}

function give(found: Buffer, fault: S3Fault["kind"] | undefined, response: ServerResponse): void {
  if (fault === "cut") {
    response.writeHead(200, { "content-length": found.length });
    response.write(found.subarray(0, found.length >> 1), () => response.destroy());
  } else if (fault === "short") response.end(found.subarray(0, -1));
  else response.end(fault === "long" ? Buffer.concat([found, Buffer.from("x")]) : found);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
}

function list({ objects }: State, query: URLSearchParams, response: ServerResponse): void {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
  const page = keys.slice(0, PAGE);
  const rows = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>${objects.get(key)?.length ?? 0}</Size></Contents>`,
  );
  const next =
    keys.length > PAGE ? `<NextContinuationToken>${page.at(-1) ?? ""}</NextContinuationToken>` : "";
  response.end(`<?xml version="1.0"?><ListBucketResult>${rows.join("")}${next}</ListBucketResult>`);
}
