/**
 * Checkpoints for siblings: a replica of the same namespace that starts on an empty volume reads one from the node beside
 * the gateway. The node sends it over a socket of its own; the gateway passes the bytes on and never reads the volume.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { TLSSocket } from "node:tls";
import type { GatewayMetrics } from "../observe/gateway-metrics.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import type { CallQueue } from "./call-queue.ts";
import type { Client } from "./clients.ts";

/** Path of a checkpoint at a gateway. */
const CHECKPOINT_PATH = "/checkpoint";
/** Length of the mark of a table that the receiver has, and the maximum number of marks (`admin_serveCheckpoint`). */
const MARK_BYTES = 8;
const MAX_MARKS = 2 ** 19;
/** Time without a byte of the node, or without one that the receiver takes. */
const IDLE_MS = 600_000;
const METHOD = "admin_serveCheckpoint";

/** Options of the giver. */
export interface GiverOptions {
  readonly line: CallQueue;
  /** The node's IPC socket; that of a checkpoint is beside it. */
  readonly socketPath: string;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
}

/** Sends a checkpoint to a client. */
export type Giver = (request: IncomingMessage, response: ServerResponse, client: Client) => Promise<void>;

/** True for a request of a checkpoint: `GET`, or `POST` with the marks of tables that need not be sent. */
export function isCheckpointRequest({ method, url, headers }: IncomingMessage): boolean {
  if (url !== CHECKPOINT_PATH) return false;
  if (method === "GET") return true;
  const length = Number(headers["content-length"]);
  return method === "POST" && length % MARK_BYTES === 0 && length <= MARK_BYTES * MAX_MARKS;
}

/** Creates the giver. It serves one client at a time; another one is answered that it may ask elsewhere. */
export function createGiver({ line, socketPath, log, metrics }: GiverOptions): Giver {
  let isGiving = false;
  return async (request, response, { name, serial }) => {
    const { remoteAddress: from } = response.socket as TLSSocket; // the server speaks TLS alone
    const record = { from, client: name, certificate: serial, method: METHOD };
    const refuse = async (status: number, outcome: "busy" | "node-error", why: string): Promise<void> => {
      log.warn({ ...record, outcome, why }, "call");
      metrics.call(METHOD, outcome, 0);
      // A connection that is closed while marks arrive is reset, and the answer lost.
      if (!request.resume().readableEnded) await once(request, "end");
      response.writeHead(status, { "content-length": 0, connection: "close" }).end();
    };
    if (isGiving) return refuse(503, "busy", "another checkpoint is being sent");
    isGiving = true;
    const began = performance.now();
    try {
      const marks = request.method === "POST" ? Number(request.headers["content-length"]) / MARK_BYTES : 0;
      const params = marks > 0 ? [`0x${marks.toString(16)}`] : [];
      const path = socketIn(await line({ method: METHOD, params }), socketPath);
      if (path === undefined) return await refuse(502, "node-error", "the node gives no checkpoint");
      const bytes = await pass(path, request, response);
      const seconds = (performance.now() - began) / 1_000;
      log.info({ ...record, outcome: "answered", bytes, ms: Math.round(1_000 * seconds) }, "call");
      metrics.call(METHOD, "answered", seconds);
    } catch (error) {
      log.warn({ ...record, outcome: "gateway", why: messageOf(error) }, "call");
      metrics.call(METHOD, "gateway", (performance.now() - began) / 1_000);
      response.destroy();
    } finally {
      isGiving = false;
    }
    return undefined;
  };
}

/** Reads the path of the node's answer: a socket for checkpoints beside the IPC socket, and nothing else. */
function socketIn({ text, isError }: Awaited<ReturnType<CallQueue>>, socketPath: string): string | undefined {
  if (isError) return undefined;
  const { result } = JSON.parse(text) as { result?: { path?: unknown } | null }; // the queue has parsed it
  const [, name] = /\/(checkpoint-[0-9a-f]{16}\.sock)$/.exec(String(result?.path)) ?? [];
  return name === undefined ? undefined : join(dirname(socketPath), name);
}

async function pass(path: string, request: IncomingMessage, response: ServerResponse): Promise<number> {
  const socket = connect({ path });
  socket.setTimeout(IDLE_MS, () => socket.destroy(new Error("nothing was sent or taken for ten minutes")));
  response.writeHead(200, { "content-type": "application/x-tar", connection: "close" });
  await pipeline(request, socket, { end: false });
  await pipeline(socket, response);
  return socket.bytesRead;
}
