/**
 * The JSON-RPC side of a node: one registry behind at most one HTTP, one WebSocket and one IPC listener, each with
 * its own modules, all with the same budgets. Listeners can be started and stopped while the node runs.
 */
import type { Log } from "../observe/log.ts";
import { createBudget, createEndpoint, type DispatchBudget, type Endpoint } from "./dispatch.ts";
import { failure } from "./errors.ts";
import { type HttpOptions, openHttp } from "./http.ts";
import { type IpcOptions, openIpc } from "./ipc.ts";
import type { Listener } from "./listener.ts";
import { ALL_MODULES } from "./modules.ts";
import type { ReaderPool } from "./reader-pool.ts";
import type { Registry } from "./registry.ts";
import { DEFAULT_SUBSCRIPTION_LIMIT, type SubscriptionLimit } from "./subscriptions.ts";
import { openWs, type WsOptions } from "./ws.ts";

/** What a server is made of. */
export interface RpcServerOptions {
  readonly registry: Registry;
  readonly log: Log;
  readonly readers?: ReaderPool | undefined;
  readonly maxSubscriptions?: number;
  readonly budget?: DispatchBudget;
}

/** A listener's options without what the server adds; `modules` are names or aliases. */
export type HttpSettings = Omit<HttpOptions, "endpoint"> & { readonly modules: readonly string[] };
export type WsSettings = Omit<WsOptions, "endpoint" | "subscriptionLimit"> & {
  readonly modules: readonly string[];
};
export type IpcSettings = Omit<IpcOptions, "endpoint" | "subscriptionLimit">;

/** See the file's header. Disposing stops all listeners. */
export interface RpcServer extends AsyncDisposable {
  /** Per connection; may be changed while the node runs. */
  readonly subscriptionLimit: SubscriptionLimit;
  /** Throws `RpcError` when one runs already, the system's error when the address cannot be had. */
  startHttp(settings: HttpSettings): Promise<Listener>;
  startWs(settings: WsSettings): Promise<Listener>;
  startIpc(settings: IpcSettings): Promise<Listener>;
  /** False when none ran. */
  stopHttp(): Promise<boolean>;
  stopWs(): Promise<boolean>;
}

type Kind = "HTTP" | "WebSocket" | "IPC";

/** A server without listeners yet. */
export function createRpcServer(options: RpcServerOptions): RpcServer {
  const { registry, log, readers, budget = createBudget(), maxSubscriptions } = options;
  const subscriptionLimit = { perConnection: maxSubscriptions ?? DEFAULT_SUBSCRIPTION_LIMIT };
  const onBug = (error: unknown) => log.error({ err: error }, "a request met a defect of the node");
  const endpointOf = (modules: readonly string[] | typeof ALL_MODULES): Endpoint =>
    createEndpoint({ view: registry.view(modules), budget, onBug, readers });
  const { start, stop } = listenerSlots(log);
  return {
    subscriptionLimit,
    startHttp: (settings) =>
      start("HTTP", `${settings.host}:${settings.port}`, () =>
        openHttp({ ...settings, endpoint: endpointOf(settings.modules) }),
      ),
    startWs: (settings) =>
      start("WebSocket", `${settings.host}:${settings.port}`, () =>
        openWs({ ...settings, subscriptionLimit, endpoint: endpointOf(settings.modules) }),
      ),
    startIpc: (settings) =>
      start("IPC", settings.path, () =>
        openIpc({ ...settings, subscriptionLimit, endpoint: endpointOf(ALL_MODULES) }),
      ),
    stopHttp: () => stop("HTTP"),
    stopWs: () => stop("WebSocket"),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([stop("HTTP"), stop("WebSocket"), stop("IPC")]);
    },
  };
}

/** At most one listener of each kind. */
function listenerSlots(log: Log) {
  const running = new Map<Kind, Listener | undefined>();
  return {
    start: async (kind: Kind, where: string, open: () => Promise<Listener>): Promise<Listener> => {
      if (running.has(kind)) {
        throw failure(`${kind} RPC already running on ${running.get(kind)?.address ?? where}`);
      }
      running.set(kind, undefined); // taken while it opens
      try {
        const listener = await open();
        running.set(kind, listener);
        log.info({ url: listener.url }, `${kind} endpoint opened`);
        return listener;
      } catch (error) {
        running.delete(kind);
        throw error;
      }
    },
    stop: async (kind: Kind): Promise<boolean> => {
      const listener = running.get(kind);
      if (listener === undefined) return false;
      running.delete(kind);
      await listener[Symbol.asyncDispose]();
      log.info({ url: listener.url }, `${kind} endpoint closed`);
      return true;
    },
  };
}
