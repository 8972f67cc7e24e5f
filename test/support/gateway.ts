/** A gateway on real sockets: TLS on one side, a stand-in for the node's IPC socket on the other, its log kept. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import {
  type Credentials,
  createAuthority,
  issueGateway,
  issueOperator,
} from "../../operator/control/authority.ts";
import { type Channel, openChannel } from "../../operator/control/channel.ts";
import type { GatewayAddress } from "../../operator/control/exchange.ts";
import { type Gateway, type GatewayTimes, openGateway } from "../../operator/gateway/gateway.ts";
import { createGatewayMetrics, type GatewayMetrics } from "../../operator/observe/gateway-metrics.ts";
import type { Log } from "../../operator/observe/log.ts";

/** The name in the gateway's certificate. */
export const GATEWAY = "core.demo.gateway.knit.dev";
const DAY_MS = 86_400_000;
/** Short where a test waits for it, long where it must not come in between. */
const TIMES: GatewayTimes = { requestMs: 10_000, nodeMs: 10_000, idleMs: 60_000, lookMs: 50 };

/** A line of a log. */
export type LogLine = Readonly<Record<string, unknown>> & {
  readonly level: string;
  readonly message: string;
};

/** A log that keeps its lines. */
export function createKeptLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const keep = (level: string) => (fields: object, message: string) =>
    void lines.push({ ...fields, level, message });
  return {
    log: { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") },
    lines,
  };
}

/** Keys and certificates of both sides. */
export interface Identities {
  readonly authority: Credentials;
  readonly operator: Credentials;
}

/** Makes an authority and the operator's certificate. */
export async function makeIdentities(): Promise<Identities> {
  const authority = await createAuthority(Date.now());
  return { authority, operator: await issueOperator(authority, Date.now()) };
}

/** Writes a reader's certificate and key, and the authority's certificate, as a pod has them. */
export function writeReader(
  directory: string,
  { authority }: Identities,
  { certificate, key }: Credentials,
): void {
  writeFileSync(join(directory, "reader.crt"), certificate);
  writeFileSync(join(directory, "reader.key"), key);
  writeFileSync(join(directory, "ca.crt"), authority.certificate);
}

/** A gateway with all that is around it. */
export class GatewayStand implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), "kg-"));
  /** Answer of the stand-in to a line; by default it returns the line. */
  answer: (line: string, socket: Socket) => void = echo;
  /** Every line that the stand-in was sent. */
  readonly heard: string[] = [];
  readonly identities: Identities;
  /** The operator's. */
  readonly channel: Channel;
  readonly metrics: GatewayMetrics = createGatewayMetrics();
  /** Added to the machine's time of day, as the gateway sees it. */
  skewMs = 0;
  readonly lines: LogLine[];
  readonly #log: Log;
  readonly #node = createServer((socket) => this.#hear(socket));
  readonly #sockets = new Set<Socket>();
  #gateway: Gateway | undefined;

  constructor(identities: Identities) {
    this.identities = identities;
    const { authority, operator } = identities;
    this.channel = openChannel({ authority: authority.certificate, operator });
    ({ log: this.#log, lines: this.lines } = createKeptLog());
  }

  async open(times: Partial<GatewayTimes> = {}): Promise<this> {
    await this.putCertificate();
    const socketPath = join(this.directory, "n.ipc");
    await new Promise<void>((resolve) => this.#node.listen(socketPath, resolve));
    this.#gateway = await openGateway({
      host: "127.0.0.1",
      port: 0,
      socketPath,
      dataDirectory: this.directory,
      certificates: this.directory,
      log: this.#log,
      metrics: this.metrics,
      clock: { now: () => Date.now() + this.skewMs },
      times: { ...TIMES, ...times },
    });
    return this;
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error("not open");
    return this.#gateway;
  }

  get port(): number {
    return this.gateway.port;
  }

  /** Address of the gateway for the operator. */
  get address(): GatewayAddress {
    return { host: "127.0.0.1", port: this.port, name: GATEWAY };
  }

  /** Writes a certificate, and what it believes. */
  async putCertificate(authority = this.identities.authority, believed = authority.certificate) {
    const { certificate, key } = await issueGateway(authority, GATEWAY, Date.now());
    this.put({ "tls.crt": certificate, "tls.key": key, "ca.crt": believed });
  }

  /** Writes files of its Secret. */
  put(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.directory, name), text);
  }

  /** A connection made by hand, the operator's unless something else is said. */
  connect(options: Pick<ConnectionOptions, "cert" | "key" | "maxVersion"> = {}): TLSSocket {
    const { authority, operator } = this.identities;
    const own = { cert: operator.certificate, key: operator.key };
    const all = { host: "127.0.0.1", port: this.port, ca: authority.certificate, servername: GATEWAY };
    return connect({ ...all, ...own, ...options });
  }

  /** Warnings in the log, each with its reason. */
  warnings(): (readonly [string, unknown])[] {
    return this.lines
      .filter(({ level }) => level === "warn")
      .map(({ message, reason, why }) => [message, reason ?? why] as const);
  }

  /** True when the node has heard nothing so far, and the operator is served. */
  async unharmed(): Promise<boolean> {
    if (this.heard.length > 0) return false;
    await this.channel.call(this.address, "chain_blockNumber");
    return true;
  }

  /** The stand-in goes, and comes back. */
  async stopNode(): Promise<void> {
    const gone = new Promise((resolve) => this.#node.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await gone;
  }

  startNode(): Promise<void> {
    return new Promise((resolve) => this.#node.listen(join(this.directory, "n.ipc"), resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.channel[Symbol.dispose]();
    await this.#gateway?.[Symbol.asyncDispose]();
    if (this.#node.listening) await this.stopNode();
    rmSync(this.directory, { recursive: true });
  }

  #hear(socket: Socket): void {
    let text = "";
    this.#sockets.add(socket);
    socket
      .on("close", () => this.#sockets.delete(socket))
      .on("error", () => undefined)
      .on("data", (chunk) => {
        text += chunk.toString();
        if (!text.endsWith("\n")) return;
        this.heard.push(text);
        this.answer(text, socket);
      });
  }
}

/** Answers with the question. */
export function echo(line: string, socket: Socket): void {
  const { method, params } = JSON.parse(line) as { method: string; params: unknown };
  socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result: { method, params } })}\n`);
}

/** The time of day, so many days from now. */
export function inDays(days: number): number {
  return Date.now() + days * DAY_MS;
}

/** Reads a connection until it ends, with an error or without. */
export async function receiveAll(socket: Socket): Promise<string> {
  let text = "";
  socket
    .on("error", () => undefined)
    .on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
  await new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once("close", () => resolve())));
  return text;
}

/** The head of a request with a body of so many bytes. */
export function head(length: number): string {
  return `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`;
}

/** A request that the operator may make, as it goes over the line. */
export const BODY = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "admin_peers", params: [] });
