/**
 * Limits of connections. Clients without a verified certificate share a few places, and a new one evicts the
 * oldest, so that idle connections cannot lock out the operator.
 */
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { OPERATOR_NAME } from "../control/methods.ts";
import type { Clock } from "../observe/clock.ts";
import type { GatewayMetrics, RefusedConnection } from "../observe/gateway-metrics.ts";
import type { Log } from "../observe/log.ts";

/** Maximum number of unverified connections. */
const MAX_UNPROVEN = 32;
/**
 * Maximum number of verified connections: the operator uses up to four per gateway, and two operators may
 * overlap.
 */
const MAX_PROVEN = 16;
/** Maximum number of connections of readers of checkpoints: one is served at a time, the others are refused as busy. */
const MAX_READERS = 32;
/** Maximum log lines a minute about rejected connections. */
const LINES = 30;

interface GuardOptions {
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
}

/** Limits the connections of a server, and logs and counts rejected ones. */
export function guardConnections(server: Server, { log, metrics, clock }: GuardOptions): void {
  const unproven = new Map<string, Socket>();
  const proven = new Set<TLSSocket>();
  const readers = new Set<TLSSocket>();
  const warn = createLimitedLog(log, clock, LINES);
  const refuse = (kind: RefusedConnection, socket: Socket, why: string): void => {
    metrics.countRefusal(kind);
    warn({ from: socket.remoteAddress, reason: why }, "connection refused");
    socket.destroy();
  };
  server.on("connection", (socket: Socket) => {
    const place = placeOf(socket);
    const [oldest] = unproven.values();
    if (unproven.size >= MAX_UNPROVEN && oldest !== undefined) {
      unproven.delete(placeOf(oldest));
      refuse("crowd", oldest, "evicted before its certificate was verified");
    }
    unproven.set(place, socket);
    socket.once("close", () => unproven.delete(place));
  });
  server.on("secureConnection", (socket) => {
    unproven.delete(placeOf(socket));
    if ([socket.getPeerCertificate().subject?.CN].flat()[0] !== OPERATOR_NAME) {
      if (readers.size >= MAX_READERS) return refuse("crowd", socket, "too many connections of readers");
      readers.add(socket);
      socket.once("close", () => readers.delete(socket));
      return undefined;
    }
    if (proven.size >= MAX_PROVEN) return refuse("crowd", socket, "too many connections of the operator");
    proven.add(socket);
    metrics.connections(proven.size);
    socket.once("close", () => {
      proven.delete(socket);
      metrics.connections(proven.size);
    });
    return undefined;
  });
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    const { kind, why } = verdict(error, socket);
    // A probe of the port connects and goes.
    if (kind === undefined)
      log.debug({ from: socket.remoteAddress }, "connection closed before the handshake");
    else refuse(kind, socket, why);
  });
}

/** Key of a connection for its whole lifetime. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function verdict(
  { code = "", message }: NodeJS.ErrnoException,
  { authorizationError }: TLSSocket,
): { readonly kind: RefusedConnection | undefined; readonly why: string } {
  const judged = authorizationError as Error | string | undefined; // Node.js gives the code alone
  if (judged) return { kind: "certificate", why: String(judged) };
  if (code === "ECONNRESET") return { kind: undefined, why: message };
  if (code === "ERR_TLS_HANDSHAKE_TIMEOUT") return { kind: "slow", why: message };
  if (code === "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE") return { kind: "certificate", why: message };
  return { kind: "handshake", why: message };
}

const MINUTE_MS = 60_000;

/** Creates a rate-limited function for warnings. */
function createLimitedLog(log: Log, clock: Clock, lines: number): Log["warn"] {
  let since = Number.NEGATIVE_INFINITY;
  let written = 0;
  let omitted = 0;
  return (fields, message) => {
    if (clock.now() - since >= MINUTE_MS) {
      since = clock.now();
      written = 0;
    }
    if (written >= lines) {
      omitted++;
      return;
    }
    written++;
    log.warn(omitted > 0 ? { ...fields, omitted } : fields, message);
    omitted = 0;
  };
}
