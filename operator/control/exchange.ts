/** One HTTP request to a gateway and its response; an error names the hop at which it failed. */
import type { ClientRequest, IncomingMessage } from "node:http";
import { type Agent, request } from "node:https";
import { isIP, type Socket } from "node:net";
import type { Hop } from "../api/hops.ts";
import { ControlError } from "./error.ts";

/** Address of a gateway, and the required name in its certificate. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

/** A request. */
export interface GatewayRequest {
  readonly body: string;
  /** Maximum size of the response. */
  readonly answerBytes: number;
  readonly deadlineMs: number;
  /** True when the request may be repeated after a stale connection. */
  readonly repeatable: boolean;
}

/** A response with any status. */
export interface GatewayResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends a request. Throws `ControlError`. */
export async function exchange(
  agent: Agent,
  gateway: GatewayAddress,
  question: GatewayRequest,
): Promise<GatewayResponse> {
  const signal = AbortSignal.timeout(question.deadlineMs);
  const first = await attempt(agent, gateway, { question, signal });
  if ("status" in first) return first;
  const again = first.stale && question.repeatable;
  const last = again ? await attempt(agent, gateway, { question, signal }) : first;
  if ("status" in last) return last;
  const { hop, cause } = last;
  const why = signal.aborted ? `no response within ${question.deadlineMs / 1_000} s` : cause.message;
  throw new ControlError(hop, `gateway ${gateway.name} at ${gateway.host}:${gateway.port}: ${why}`, {
    cause,
  });
}

/** A failed attempt. */
interface Failure {
  readonly hop: Hop;
  readonly cause: Error;
  /** True when the peer had closed the kept-alive connection. */
  readonly stale: boolean;
}

interface Attempt {
  readonly question: GatewayRequest;
  readonly signal: AbortSignal;
}

function attempt(
  agent: Agent,
  { host, port, name }: GatewayAddress,
  { question, signal }: Attempt,
): Promise<GatewayResponse | Failure> {
  const { body, answerBytes } = question;
  return new Promise((resolve) => {
    const way = { hop: isIP(host) === 0 ? "resolve" : "connect" } as { hop: Hop };
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request({ agent, host, port, servername: name, method: "POST", path: "/", signal, headers });
    const fail = (cause: NodeJS.ErrnoException): void => {
      const stale = sent.reusedSocket && cause.code === "ECONNRESET";
      resolve({ hop: stale ? "gateway" : hopOfFailure(way.hop, cause), cause, stale });
    };
    follow(sent, way);
    sent.on("error", fail);
    sent.on("response", (answer) => {
      way.hop = "gateway";
      readAll(answer, answerBytes).then(
        (text) => resolve({ status: answer.statusCode ?? 0, text }),
        (error: unknown) => {
          sent.destroy();
          fail(error as Error); // streams reject with errors
        },
      );
    });
    sent.end(body);
  });
}

/**
 * Updates `way` with the current hop. Until the first response the gateway may still reject the certificate.
 */
function follow(sent: ClientRequest, way: { hop: Hop }): void {
  sent.on("socket", (socket: Socket) => {
    if (!socket.connecting) {
      way.hop = "gateway";
      return;
    }
    socket.once("lookup", (error: Error | null) => {
      if (error === null) way.hop = "connect";
    });
    socket.once("connect", () => (way.hop = "tls"));
    socket.once("secureConnect", () => (way.hop = "certificate"));
  });
}

/**
 * Returns the hop of a failure. In TLS 1.3 the client finishes before the server checks its certificate, so a
 * connection that ends then was rejected.
 */
function hopOfFailure(hop: Hop, { code = "", name }: NodeJS.ErrnoException): Hop {
  if (hop === "certificate") return name === "AbortError" ? "gateway" : "certificate";
  if (hop !== "tls" || name === "AbortError") return hop;
  const ofTransport = code === "ECONNRESET" || code === "EPROTO" || code.startsWith("ERR_SSL_");
  return ofTransport ? "tls" : "certificate"; // all other codes are verdicts on the gateway's certificate
}

async function readAll(answer: IncomingMessage, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new Error("the response is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
