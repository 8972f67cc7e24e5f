/**
 * The sidecar: lets the operator, and nobody else, call a few methods on the node's IPC socket. TLS 1.3 with
 * certificates on both sides; in come one JSON-RPC request and its method's parameters, both checked against the
 * allow-list, out goes the node's answer. Connections, bytes and time are bounded.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { MOST_REQUEST_BYTES, OPERATOR_NAME, readCall } from "../control/methods.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import { type CertificateFiles, openCertificates } from "./certificates.ts";
import { callNode } from "./ipc.ts";

/** What a gateway is opened with. */
export interface GatewayOptions {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  readonly certificates: string;
  readonly log: Log;
  /** How often the certificate's files are looked at. */
  readonly lookMs?: number;
}

/** A running gateway. */
export interface Gateway extends AsyncDisposable {
  readonly port: number;
}

const MOST_CONNECTIONS = 64;
const MOST_CALLS = 16;
const REQUEST_MS = 10_000;
const LOOK_MS = 60_000;

/** Opens a gateway. Rejects when the address is taken or the certificate cannot be read. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { log } = options;
  const certificates = await openCertificates(options.certificates, options.lookMs ?? LOOK_MS, log);
  const server = createServer(
    {
      ...tlsOf(certificates.files()),
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: "TLSv1.3",
      handshakeTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
      maxHeaderSize: 8_192,
    },
    createHandler(options),
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    const fields = { from: socket.remoteAddress, error: error.message };
    // A probe of the port connects and goes; whoever cannot prove himself is worth a line.
    if (error.code === "ECONNRESET") log.debug(fields, "connection ended before it began");
    else log.warn(fields, "connection refused");
    socket.destroy();
  });
  certificates.onChange((files) => server.setSecureContext(tlsOf(files)));
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on TCP
  log.info({ port, socket: options.socketPath }, "gateway opened");
  return {
    port,
    async [Symbol.asyncDispose]() {
      certificates[Symbol.dispose]();
      await closed(server);
    },
  };
}

function tlsOf({ certificate, key, authority }: CertificateFiles) {
  return { cert: certificate, key, ca: authority, minVersion: "TLSv1.3" } as const;
}

async function closed(server: Server): Promise<void> {
  const gone = once(server, "close");
  server.close();
  server.closeAllConnections();
  await gone;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function createHandler({ socketPath, log }: GatewayOptions): Handler {
  let calls = 0;
  const handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async (
    request,
    response,
  ) => {
    if (!isOperator(request.socket as TLSSocket)) return refuse(response, 403, -32_600, "not the operator");
    const text = await bodyOf(request);
    if (text === undefined) return refuse(response, 413, -32_600, "the request is too large");
    const call = readCall(text);
    if ("code" in call) {
      log.warn({ reason: call.message }, "request refused");
      return refuse(response, call.code === -32_601 ? 403 : 400, call.code, call.message);
    }
    if (calls >= MOST_CALLS) return refuse(response, 503, -32_000, "too many calls at a time");
    calls++;
    try {
      const answer = await callNode(socketPath, call);
      log.debug({ method: call.method }, "call passed on");
      return send(response, 200, answer);
    } catch (error) {
      return refuse(response, 502, -32_000, (error as Error).message); // callNode rejects with IpcError
    } finally {
      calls--;
    }
  };
  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, "request broke off");
      response.destroy();
    });
  };
}

/** The authority signs gateways too: their certificates are no good as a client's, and have another name. */
function isOperator(socket: TLSSocket): boolean {
  return socket.authorized && socket.getPeerCertificate().subject?.CN === OPERATOR_NAME;
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_REQUEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  send(response, status, JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
}

function send(response: ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { "content-type": "application/json", "content-length": length });
  response.end(text);
}
