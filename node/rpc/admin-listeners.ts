/**
 * `admin`: starts and stops the HTTP and WebSocket listeners and sets the subscription limit of connections.
 */

import { optional } from "../jsonrpc/codec.ts";
import { boolean, integer, nothing, signed, text } from "../jsonrpc/codecs/plain.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { SubscriptionLimit } from "../jsonrpc/subscriptions.ts";
import type { Log } from "../observe/log.ts";
import type { TcpAddress } from "../transport/listener.ts";
import {
  type ListenerControl,
  type ListenerKind,
  type ListenerPlan,
  listenerNames,
} from "../transport/listeners.ts";

/** Values of each kind of listener for what a start leaves out, besides host, port and lists of their own. */
export type ListenerDefaults = Readonly<
  Record<ListenerKind, Partial<ListenerPlan> & Pick<ListenerPlan, "modules">>
>;

/** Dependencies of the methods about listeners. */
export interface AdminListenersDeps {
  readonly listeners: ListenerControl;
  /** Values for what a start leaves out. */
  readonly listenerDefaults: ListenerDefaults;
  readonly subscriptionLimit: SubscriptionLimit;
  readonly log: Log;
}

const DEFAULT_PORTS: Readonly<Record<ListenerKind, number>> = { http: 8551, ws: 8552 };
const where = { host: optional(text), port: optional(signed), cors: optional(text), apis: optional(text) };

/** The methods of `admin` about listeners. */
export function adminListenersMethods(deps: AdminListenersDeps): Method[] {
  return [
    startHttp("admin_startHTTP", deps),
    stopMethod("admin_stopHTTP", "http", deps),
    startHttp("admin_startRPC", deps),
    stopMethod("admin_stopRPC", "http", deps),
    startWs(deps),
    stopMethod("admin_stopWS", "ws", deps),
    subscriptionLimitMethod(deps),
  ];
}

function startHttp(name: "admin_startHTTP" | "admin_startRPC", deps: AdminListenersDeps): Method {
  const older = name === "admin_startRPC" ? " Deprecated name of `admin_startHTTP`." : "";
  return method({
    name,
    summary: `Starts the HTTP listener. Lists are comma-separated. Fails when one is running.${older}`,
    privilege: "listeners",
    params: { ...where, vhosts: optional(text) },
    result: boolean,
    handle: ({ vhosts, ...args }) => {
      if (older !== "") deps.log.warn({ method: "admin_startRPC" }, "deprecated; call admin_startHTTP");
      return start("http", { ...args, vhosts }, deps);
    },
  });
}

function startWs(deps: AdminListenersDeps): Method {
  return method({
    name: "admin_startWS",
    summary: "Starts the WebSocket listener. Lists are comma-separated. Fails when one is running.",
    privilege: "listeners",
    params: where,
    result: boolean,
    handle: (args) => start("ws", { ...args, vhosts: undefined }, deps),
  });
}

interface StartArgs {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly cors: string | undefined;
  readonly apis: string | undefined;
  readonly vhosts: string | undefined;
}

async function start(kind: ListenerKind, wanted: StartArgs, deps: AdminListenersDeps): Promise<boolean> {
  const plan = planOf(kind, wanted, deps);
  try {
    await deps.listeners.start(kind, plan);
    return true;
  } catch (error) {
    if (error instanceof RpcError) throw error;
    const reason = listenMessage(error, plan);
    deps.log.warn({ reason }, `${listenerNames[kind]} endpoint failed to start`);
    throw failure(reason, "not-done");
  }
}

function planOf(
  kind: ListenerKind,
  wanted: StartArgs,
  { listenerDefaults }: AdminListenersDeps,
): ListenerPlan {
  const own = listenerDefaults[kind];
  return {
    host: wanted.host ?? own.host ?? "localhost",
    port: wanted.port ?? own.port ?? DEFAULT_PORTS[kind],
    modules: listOf(wanted.apis, own.modules),
    origins: listOf(wanted.cors, own.origins ?? []),
    virtualHosts: listOf(wanted.vhosts, own.virtualHosts ?? ["localhost"]),
  };
}

/** Splits a list at commas. As in the Go node, an empty text is a list of one empty name. */
function listOf(words: string | undefined, fallback: readonly string[]): readonly string[] {
  return words === undefined ? fallback : words.split(",").map((word) => word.trim());
}

const BIND_TEXTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EADDRNOTAVAIL: "cannot assign requested address",
  EACCES: "permission denied",
};

/** Returns the Go node's message for an address that cannot be bound; throws other errors again. */
export function listenMessage(error: unknown, { host, port: asked }: TcpAddress): string {
  const { code = "", address = host } = error as { code?: string; address?: string };
  const word = BIND_TEXTS[code];
  if (word !== undefined) return `listen tcp ${address}:${asked}: bind: ${word}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `listen tcp: lookup ${host}: no such host`;
  if (code === "ERR_SOCKET_BAD_PORT") return `listen tcp: address ${asked}: invalid port`;
  throw error;
}

function stopMethod(
  name: "admin_stopHTTP" | "admin_stopRPC" | "admin_stopWS",
  kind: ListenerKind,
  { listeners }: AdminListenersDeps,
): Method {
  const older = name === "admin_stopRPC" ? " Deprecated name of `admin_stopHTTP`." : "";
  const protocol = listenerNames[kind];
  return method({
    name,
    summary: `Stops the ${protocol} listener and closes its port immediately.${older}`,
    privilege: "listeners",
    params: {},
    result: boolean,
    handle: () => {
      if (listeners.stop(kind)) return true;
      throw failure(`${protocol} RPC not running`, "not-done");
    },
  });
}

function subscriptionLimitMethod({ subscriptionLimit }: AdminListenersDeps): Method {
  return method({
    name: "admin_setMaxSubscriptionPerWSConn",
    summary: "Sets the maximum number of subscriptions per connection. Existing subscriptions stay.",
    params: { limit: integer("int32", -(2 ** 31), 2 ** 31 - 1) },
    result: nothing,
    handle: ({ limit }) => {
      subscriptionLimit.perConnection = limit;
      return undefined;
    },
  });
}
