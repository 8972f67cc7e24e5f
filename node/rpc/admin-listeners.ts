/** `admin`: the HTTP and WebSocket listeners, and how many subscriptions a connection may hold. */

import type { RpcProfile } from "../compat/profiles.ts";
import { optional } from "../jsonrpc/codec.ts";
import { boolean, integer, nothing, text } from "../jsonrpc/codecs/plain.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { SubscriptionLimit } from "../jsonrpc/subscriptions.ts";
import type { Log } from "../observe/log.ts";
import {
  type ListenerControl,
  type ListenerKind,
  type ListenerPlan,
  listenerNames,
} from "../transport/listeners.ts";

/** What these methods work on. */
export interface AdminListenersParts {
  readonly listeners: ListenerControl;
  /** What the node's own options say of each kind. */
  readonly configured: Readonly<Record<ListenerKind, Partial<ListenerPlan>>>;
  readonly subscriptionLimit: SubscriptionLimit;
  readonly profile: RpcProfile;
  readonly log: Log;
}

const DEFAULT_PORTS: Readonly<Record<ListenerKind, number>> = { http: 8551, ws: 8552 };
const port = integer("int", -(2 ** 63), 2 ** 63);
const where = { host: optional(text), port: optional(port), cors: optional(text), apis: optional(text) };

/** The methods of `admin` about listeners. */
export function adminListenersMethods(parts: AdminListenersParts): Method[] {
  return [
    startHttp("admin_startHTTP", parts),
    stopMethod("admin_stopHTTP", "http", parts),
    startHttp("admin_startRPC", parts),
    stopMethod("admin_stopRPC", "http", parts),
    startWs(parts),
    stopMethod("admin_stopWS", "ws", parts),
    subscriptionLimitMethod(parts),
  ];
}

function startHttp(name: "admin_startHTTP" | "admin_startRPC", parts: AdminListenersParts): Method {
  const older = name === "admin_startRPC" ? " The older name of `admin_startHTTP`." : "";
  return method({
    name,
    summary: `Starts the HTTP listener; lists are separated by commas. Says so when one runs.${older}`,
    privilege: "listeners",
    params: { ...where, vhosts: optional(text) },
    result: boolean,
    handle: ({ vhosts, ...args }) => {
      if (older !== "") parts.log.warn({ method: "admin_startRPC" }, "deprecated; call admin_startHTTP");
      return start("http", { ...args, vhosts }, parts);
    },
  });
}

function startWs(parts: AdminListenersParts): Method {
  return method({
    name: "admin_startWS",
    summary: "Starts the WebSocket listener; lists are separated by commas. Says so when one runs.",
    privilege: "listeners",
    params: where,
    result: boolean,
    handle: (args) => start("ws", { ...args, vhosts: undefined }, parts),
  });
}

interface Wanted {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly cors: string | undefined;
  readonly apis: string | undefined;
  readonly vhosts: string | undefined;
}

async function start(kind: ListenerKind, wanted: Wanted, parts: AdminListenersParts): Promise<boolean> {
  const plan = planOf(kind, wanted, parts);
  try {
    await parts.listeners.start(kind, plan);
    return true;
  } catch (error) {
    if (error instanceof RpcError) throw error;
    const reason = listenFault(error, plan);
    if (!parts.profile.failureIsFalse) throw failure(reason);
    parts.log.warn({ reason }, `${listenerNames[kind]} endpoint did not open`);
    return false;
  }
}

function planOf(
  kind: ListenerKind,
  wanted: Wanted,
  { profile, configured }: AdminListenersParts,
): ListenerPlan {
  const own = profile.startsAsConfigured ? configured[kind] : {};
  const started = kind === "http" ? profile.startedHttpModules : (own.modules ?? profile.startedWsModules);
  return {
    host: wanted.host ?? own.host ?? "localhost",
    port: wanted.port ?? own.port ?? DEFAULT_PORTS[kind],
    modules: listOf(wanted.apis, started),
    origins: listOf(wanted.cors, own.origins ?? []),
    virtualHosts: listOf(wanted.vhosts, configured[kind].virtualHosts ?? ["localhost"]),
  };
}

/** Parts between commas; an empty text is a list of one empty name, which names nothing. */
function listOf(words: string | undefined, fallback: readonly string[]): readonly string[] {
  return words === undefined ? fallback : words.split(",").map((word) => word.trim());
}

const BIND_WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EADDRNOTAVAIL: "cannot assign requested address",
  EACCES: "permission denied",
};

/** Why an address cannot be had, in the Go node's words. */
function listenFault(error: unknown, { host, port: asked }: ListenerPlan): string {
  const { code = "", address = host } = error as { code?: string; address?: string };
  const word = BIND_WORDS[code];
  if (word !== undefined) return `listen tcp ${address}:${asked}: bind: ${word}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `listen tcp: lookup ${host}: no such host`;
  if (code === "ERR_SOCKET_BAD_PORT") return `listen tcp: address ${asked}: invalid port`;
  throw error;
}

function stopMethod(
  name: "admin_stopHTTP" | "admin_stopRPC" | "admin_stopWS",
  kind: ListenerKind,
  { listeners, profile }: AdminListenersParts,
): Method {
  const older = name === "admin_stopRPC" ? " The older name of `admin_stopHTTP`." : "";
  const protocol = listenerNames[kind];
  return method({
    name,
    summary: `Stops the ${protocol} listener; its address is free at once.${older}`,
    privilege: "listeners",
    params: {},
    result: boolean,
    handle: () => {
      const wasRunning = listeners.stop(kind);
      if (!wasRunning && !profile.failureIsFalse) throw failure(`${protocol} RPC not running`);
      return wasRunning;
    },
  });
}

function subscriptionLimitMethod({ subscriptionLimit, profile }: AdminListenersParts): Method {
  return method({
    name: "admin_setMaxSubscriptionPerWSConn",
    summary: "How many subscriptions a connection may hold from now on; those there are stay.",
    params: { limit: integer("int32", -(2 ** 31), 2 ** 31 - 1) },
    result: nothing,
    handle: ({ limit }) => {
      if (limit < 0 && profile.checksSubscriptionLimit) throw failure("the limit must not be negative");
      subscriptionLimit.perConnection = limit;
      return undefined;
    },
  });
}
