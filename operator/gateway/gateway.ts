/**
 * The sidecar of a node: lets the operator call the allowed methods over the node's IPC socket. TLS 1.3 with
 * certificates on both sides. A request is a JSON-RPC call that is checked against the allow-list.
 * Connections, calls, bytes and times are limited.
 */
import { once } from "node:events";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { Clock } from "../observe/clock.ts";
import type { GatewayMetrics } from "../observe/gateway-metrics.ts";
import type { Log } from "../observe/log.ts";
import { createCallQueue } from "./call-queue.ts";
import { createCallHandler } from "./calls.ts";
import { type CertificateFiles, openCertificates } from "./certificates.ts";
import { createGiver } from "./checkpoints.ts";
import { guardConnections } from "./connections.ts";

/** Options of a gateway. */
export interface GatewayOptions {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  /** A directory on the data volume; undefined disables reports of free space. */
  readonly dataDirectory: string | undefined;
  /** URL of the node's `/readyz`; undefined disables reports of its reasons. */
  readonly readiness?: string | undefined;
  readonly certificates: string;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
  readonly times?: GatewayTimes;
}

/** Time limits in milliseconds. */
export interface GatewayTimes {
  /** Limit of the handshake, and of receiving a request. */
  readonly requestMs: number;
  /** Limit of the node's response. */
  readonly nodeMs: number;
  /** Idle limit of a connection. */
  readonly idleMs: number;
  /** Interval of reading the certificate files. */
  readonly lookMs: number;
}

/** A running gateway. */
export interface Gateway extends AsyncDisposable {
  readonly port: number;
  /** True while the certificate is valid. */
  ready(): boolean;
}

/**
 * Lifetime of TLS sessions. An operator with thousands of nodes polls each every few minutes; its certificate
 * is checked with each call.
 */
const SESSION_SECONDS = 3_600;

const TIMES: GatewayTimes = { requestMs: 10_000, nodeMs: 10_000, idleMs: 75_000, lookMs: 30_000 };

/** Opens a gateway. Rejects when the address is in use or the certificate cannot be read. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { log, clock, metrics, times = TIMES } = options;
  const certificates = await openCertificates(options.certificates, times.lookMs, log);
  const line = createCallQueue({ ...options, nodeMs: times.nodeMs });
  const give = createGiver({ line, socketPath: options.socketPath, log, metrics });
  const server = createServer(
    serverOptions(certificates.files(), times),
    createCallHandler({ line, log, metrics, clock, give, ownName: () => certificates.files().name }),
  );
  guardConnections(server, { log, metrics, clock });
  const renew = (files: CertificateFiles): void => {
    server.setSecureContext(tlsOf(files));
    metrics.certificateEnds(files.validity.end);
    // Who came in under an authority that is believed no longer does not stay.
    server.closeAllConnections();
  };
  metrics.certificateEnds(certificates.files().validity.end);
  certificates.onChange(renew);
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on TCP
  log.info({ port, socket: options.socketPath }, "gateway opened");
  return {
    port,
    ready: () => {
      const { begin, end } = certificates.files().validity;
      return begin <= clock.now() && clock.now() < end;
    },
    async [Symbol.asyncDispose]() {
      certificates[Symbol.dispose]();
      await close(server);
    },
  };
}

function serverOptions(files: CertificateFiles, { requestMs, idleMs }: GatewayTimes): ServerOptions {
  return {
    ...tlsOf(files),
    sessionTimeout: SESSION_SECONDS,
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: requestMs,
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.min(1_000, requestMs / 2),
    keepAliveTimeout: idleMs,
    maxHeaderSize: 8_192,
  };
}

function tlsOf({ certificate, key, authority }: CertificateFiles) {
  return { cert: certificate, key, ca: authority, minVersion: "TLSv1.3" } as const;
}

async function close(server: Server): Promise<void> {
  const gone = once(server, "close");
  server.close();
  server.closeAllConnections();
  await gone;
}
