/** The operator's side of the control channel: calls to gateways with a deadline and a size limit. */
import { Agent } from "node:https";
import { createSecureContext } from "node:tls";
import type { Credentials } from "./authority.ts";
import { ControlError } from "./error.ts";
import { exchange, type GatewayAddress, type GatewayResponse } from "./exchange.ts";
import { type ControlMethod, controlMethods } from "./methods.ts";
import { hopOf } from "./refusal.ts";
import { resumeSessions } from "./sessions.ts";

/** TLS credentials of the channel. */
export interface ChannelIdentity {
  /** Trusted certificates, PEM. */
  readonly authority: string;
  readonly operator: Credentials;
}

/** Calls to gateways. Disposing it closes idle connections. */
export interface Channel extends Disposable {
  /** Calls a method and returns its result. Throws `ControlError`. */
  call(gateway: GatewayAddress, method: ControlMethod, ...params: readonly string[]): Promise<unknown>;
}

/** Deadline of a call. It exceeds the gateway's own, so that the gateway reports a silent node. */
const DEADLINE_MS = 15_000;
/**
 * Idle time of a connection. A connection takes 100 kB, a resumed handshake less than a millisecond:
 * consecutive calls share a connection, and polls every ten seconds open a new one.
 */
const IDLE_MS = 250;

/** Opens the channel. */
export function openChannel({ authority, operator }: ChannelIdentity, deadlineMs = DEADLINE_MS): Channel {
  const { certificate: cert, key } = operator;
  const agent = new Agent({
    // One for all: a context of its own takes each connection 100 kB and a millisecond.
    secureContext: createSecureContext({ ca: authority, cert, key, minVersion: "TLSv1.3" }),
    keepAlive: true,
    maxSockets: 4,
    maxTotalSockets: 512,
    timeout: IDLE_MS,
    maxCachedSessions: 0, // it would keep them as they came
  });
  resumeSessions(agent);
  return {
    async call(gateway, method, ...params) {
      const { answerBytes, maintenance } = controlMethods[method];
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const question = { body, answerBytes, deadlineMs, repeatable: !maintenance };
      return resultOf(await exchange(agent, gateway, question), method);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** Returns the result in a gateway's response. Throws `ControlError`. */
export function resultOf({ status, text }: GatewayResponse, method: ControlMethod): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ControlError("gateway", `${method}: the response is not JSON (HTTP status ${status})`);
  }
  if (typeof answer !== "object" || answer === null)
    throw new ControlError("gateway", `${method}: the response is not JSON-RPC`);
  const { result, error } = answer as { result?: unknown; error?: ErrorObject | null };
  if (error !== undefined && error !== null) {
    throw new ControlError(status === 200 ? "node-error" : hopOf(error.data), errorText(error));
  }
  if (status !== 200 || result === undefined)
    throw new ControlError("gateway", `${method}: HTTP status ${status}`);
  return result;
}

interface ErrorObject {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly data?: unknown;
}

function errorText({ message, code }: ErrorObject): string {
  const said = typeof message === "string" ? message.slice(0, 900) : "an error without a message";
  return typeof code === "number" ? `${said} (${code})` : said;
}
