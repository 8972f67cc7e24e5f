/** Requests on verified connections: parsed, checked, forwarded to the node, answered and logged. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { type ControlMethod, MAX_REQUEST_BYTES, readCall } from "../control/methods.ts";
import { type Refusal, type ReportedHop, refusalText, reportedHops } from "../control/refusal.ts";
import type { Clock } from "../observe/clock.ts";
import type { GatewayMetrics } from "../observe/gateway-metrics.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import type { CallQueue } from "./call-queue.ts";
import { type Giver, isCheckpointRequest } from "./checkpoints.ts";
import { type Client, clientOf, readerOf } from "./clients.ts";
import { IpcError } from "./ipc.ts";

/** Options of the handler. */
export interface CallOptions {
  readonly line: CallQueue;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
  /** Sends checkpoints to readers. */
  readonly give: Giver;
  /** Returns the name in the gateway's own certificate. */
  readonly ownName: () => string;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the handler of a server's requests. */
export function createCallHandler(options: CallOptions): Handler {
  const answering = new Set<TLSSocket>();
  return (request, response) => {
    const socket = request.socket as TLSSocket; // the server speaks TLS alone
    if (socket.destroyed) return;
    if (answering.has(socket)) {
      options.log.warn(
        { from: socket.remoteAddress },
        "connection closed: a request before the last response",
      );
      socket.destroy();
      return;
    }
    answering.add(socket);
    answer(request, response, options)
      .catch((error: unknown) => {
        options.log.debug({ error: messageOf(error) }, "request aborted");
        response.destroy();
      })
      .finally(() => answering.delete(socket));
  };
}

/** Response to a request. */
interface Reply {
  readonly method: ControlMethod | "other";
  readonly status: number;
  readonly outcome: "answered" | "node-error" | ReportedHop;
  readonly text: string;
  /** Further details for the log. */
  readonly why?: string;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { line, log, metrics, clock, give, ownName }: CallOptions,
): Promise<void> {
  const began = performance.now();
  const socket = request.socket as TLSSocket; // the server speaks TLS alone
  const reader = readerOf(socket, ownName(), clock.now());
  if (reader !== undefined && isCheckpointRequest(request)) return give(request, response, reader);
  const client = clientOf(socket, clock.now());
  const { method, status, outcome, text, why } = await replyTo(request, client, line);
  const ms = performance.now() - began;
  const who = { from: socket.remoteAddress, client: client.name, certificate: client.serial };
  const record = { ...who, method, outcome, ms: Math.round(ms), ...(why === undefined ? {} : { why }) };
  if (outcome === "answered") log.info(record, "call");
  else log.warn(record, "call");
  metrics.call(method, outcome, ms / 1_000);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  // Whoever sends what is not on the list keeps no connection.
  response.writeHead(status, method === "other" ? { ...headers, connection: "close" } : headers);
  response.end(text);
}

async function replyTo(request: IncomingMessage, client: Client, line: CallQueue): Promise<Reply> {
  if (client.refusal !== undefined) return refuse(403, -32_600, client.refusal);
  if (request.method !== "POST" || request.url !== "/") return refuse(404, -32_600, "only POST / is served");
  const bytes = await bodyOf(request);
  if (bytes === undefined) return refuse(413, -32_600, "the request is too large");
  const call = readCall(bytes);
  if ("code" in call) return refuse(call.code === -32_601 ? 403 : 400, call.code, call.message);
  const { method } = call;
  try {
    const { text, isError } = await line(call);
    return { method, status: 200, outcome: isError ? "node-error" : "answered", text };
  } catch (error) {
    const hop = error instanceof IpcError ? error.code : "gateway";
    return { ...failure({ hop, rpcCode: -32_000, message: messageOf(error) }), method };
  }
}

function refuse(status: number, rpcCode: number, message: string): Reply {
  return { ...failure({ hop: "refused", rpcCode, message }), status };
}

function failure(refusal: Refusal): Reply {
  const { hop, message } = refusal;
  return {
    method: "other",
    status: reportedHops[hop],
    outcome: hop,
    text: refusalText(refusal),
    why: message,
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_REQUEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
