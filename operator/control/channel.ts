/** The operator's side of the control channel: one call to one node's gateway, with a deadline and a size limit. */
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { Credentials } from "./authority.ts";
import { ControlError } from "./error.ts";
import { type ControlMethod, MOST_ANSWER_BYTES } from "./methods.ts";

/** A gateway: its address, and the name that its certificate must have. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

/** What the channel proves itself with. */
export interface ChannelIdentity {
  readonly authority: string;
  readonly operator: Credentials;
}

/** Calls to gateways. Disposing it closes the connections that are kept. */
export interface Channel extends Disposable {
  /** What the node answers. Throws `ControlError`. */
  call(gateway: GatewayAddress, method: ControlMethod, ...params: readonly string[]): Promise<unknown>;
}

const DEADLINE_MS = 15_000;

/** Opens the channel. */
export function openChannel({ authority, operator }: ChannelIdentity): Channel {
  const agent = new Agent({
    ca: authority,
    cert: operator.certificate,
    key: operator.key,
    minVersion: "TLSv1.3",
    keepAlive: true,
    maxSockets: 4,
    maxTotalSockets: 256,
    maxFreeSockets: 64,
    timeout: 30_000,
  });
  return {
    async call(gateway, method, ...params) {
      const { status, text } = await exchange(
        agent,
        gateway,
        JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      );
      return resultOf(status, text, method);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function exchange(agent: Agent, { host, port, name }: GatewayAddress, body: string): Promise<Answer> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(
        new ControlError("unreachable", `gateway ${name} at ${host}:${port}: ${cause.message}`, { cause }),
      );
    const sent: ClientRequest = request(
      {
        agent,
        host,
        port,
        servername: name,
        method: "POST",
        path: "/",
        signal,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      },
      (answer) => {
        readAll(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 0, text }),
          (error: unknown) => {
            sent.destroy();
            fail(error as Error); // streams reject with errors
          },
        );
      },
    );
    sent.on("error", fail);
    sent.end(body);
  });
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_ANSWER_BYTES) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function resultOf(status: number, text: string, method: ControlMethod): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ControlError("bad-answer", `${method}: HTTP status ${status} without JSON`);
  }
  if (typeof answer !== "object" || answer === null)
    throw new ControlError("bad-answer", `${method}: not an answer`);
  const { result, error } = answer as { result?: unknown; error?: { code?: unknown; message?: unknown } };
  if (error !== undefined && error !== null) {
    throw new ControlError(status === 200 ? "node-error" : "refused", errorText(error));
  }
  if (status !== 200 || result === undefined)
    throw new ControlError("bad-answer", `${method}: HTTP status ${status}`);
  return result;
}

function errorText({ message, code }: { readonly message?: unknown; readonly code?: unknown }): string {
  const said = typeof message === "string" ? message.slice(0, 900) : "an error without a message";
  return typeof code === "number" ? `${said} (${code})` : said;
}
