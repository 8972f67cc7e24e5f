/**
 * The listeners of a node: at most one for HTTP and one for WebSocket, opened by its options or by `admin_start...`
 * and closed by `admin_stop...`, and IPC from beginning to end. In: what opens each kind. Out: where they are.
 */

import type { Endpoint } from "../jsonrpc/dispatch.ts";
import { failure } from "../jsonrpc/errors.ts";
import type { Log } from "../observe/log.ts";
import { isLoopback, type Listener } from "./listener.ts";

/** What can be started and stopped. */
export type ListenerKind = "http" | "ws";

/** How a listener is to be opened. */
export interface ListenerPlan {
  readonly host: string;
  readonly port: number;
  /** Empty: everything public. */
  readonly modules: readonly string[];
  /** Origins of browsers that may call. */
  readonly origins: readonly string[];
  /** Host names that are served; of HTTP alone. */
  readonly virtualHosts: readonly string[];
}

/** An open listener that others than this machine can reach. */
export interface Exposed {
  readonly url: string;
  /** As `rpc_modules` lists them. */
  readonly modules: readonly string[];
}

/** Starts and stops listeners. */
export interface ListenerControl {
  /** `host:port` of a listener that is open or being opened. */
  address(kind: ListenerKind): string | undefined;
  /** Rejects with `RpcError` when one runs, and with the system's error when the address cannot be had. */
  start(kind: ListenerKind, plan: ListenerPlan): Promise<void>;
  /** The address is free when this returns. False when nothing ran. */
  stop(kind: ListenerKind): boolean;
}

/** See the file's header. Disposing closes all. */
export interface Listeners extends ListenerControl, AsyncDisposable {
  url(kind: ListenerKind): string | undefined;
  /** Those beyond this machine's own addresses. */
  exposed(): readonly Exposed[];
}

/** What listeners are made of. */
export interface ListenersOptions {
  readonly log: Log;
  readonly endpoint: (modules: readonly string[]) => Endpoint;
  readonly open: Readonly<
    Record<ListenerKind, (plan: ListenerPlan, endpoint: Endpoint) => Promise<Listener>>
  >;
  /** Connections of a stopped HTTP listener get empty answers for this long; undefined: they are closed. */
  readonly keepStoppedMs?: number | undefined;
  /** Told of every listener that has been opened. */
  readonly onOpen?: (exposed: Exposed | undefined) => void;
}

/** What people call them. */
export const listenerNames: Readonly<Record<ListenerKind, string>> = { http: "HTTP", ws: "WebSocket" };

/** No listener yet. */
export function createListeners(options: ListenersOptions): Listeners {
  return new NodeListeners(options);
}

interface Slot {
  readonly address: string;
  readonly open: Open | undefined;
}

interface Open {
  readonly listener: Listener;
  readonly endpoint: Endpoint;
}

/** A stopped listener: when it will be closed, and its closing once that has begun. */
interface Leaving {
  readonly timer: NodeJS.Timeout | undefined;
  closing: Promise<void> | undefined;
}

class NodeListeners implements Listeners {
  readonly #options: ListenersOptions;
  readonly #slots = new Map<ListenerKind, Slot>();
  /** Stopped ones whose connections are not all gone. */
  readonly #leaving = new Map<Listener, Leaving>();
  #isClosed = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  address(kind: ListenerKind): string | undefined {
    return this.#slots.get(kind)?.address;
  }

  url(kind: ListenerKind): string | undefined {
    return this.#slots.get(kind)?.open?.listener.url;
  }

  exposed(): readonly Exposed[] {
    return [...this.#slots.values()].flatMap(({ open }) =>
      open === undefined ? [] : (exposedOf(open) ?? []),
    );
  }

  async start(kind: ListenerKind, plan: ListenerPlan): Promise<void> {
    const name = listenerNames[kind];
    const running = this.address(kind);
    if (running !== undefined) throw failure(`${name} RPC already running on ${running}`);
    if (this.#isClosed) throw failure("the node is stopping");
    this.#slots.set(kind, { address: `${plan.host}:${plan.port}`, open: undefined });
    try {
      const endpoint = this.#options.endpoint(plan.modules);
      const listener = await this.#options.open[kind](plan, endpoint);
      const open = { listener, endpoint };
      const port = listener.address.slice(listener.address.lastIndexOf(":") + 1);
      this.#slots.set(kind, { address: `${plan.host}:${port}`, open });
      const lists = { modules: plan.modules.join(","), cors: plan.origins.join(",") };
      const hosts = kind === "http" ? { vhosts: plan.virtualHosts.join(",") } : {};
      this.#options.log.info({ url: listener.url, ...lists, ...hosts }, `${name} endpoint opened`);
      this.#options.onOpen?.(exposedOf(open));
    } catch (error) {
      this.#slots.delete(kind);
      throw error;
    }
  }

  stop(kind: ListenerKind): boolean {
    const open = this.#slots.get(kind)?.open;
    if (open === undefined) return false;
    this.#slots.delete(kind);
    const { listener, endpoint } = open;
    listener.retire();
    const { keepStoppedMs } = this.#options;
    const keepMs = kind === "http" ? keepStoppedMs : undefined;
    if (keepMs !== undefined) endpoint.retire();
    // The call that stops its own listener is answered first.
    const timer = setTimeout(() => void this.#leave(listener), keepMs ?? 0);
    if (keepMs !== undefined) timer.unref();
    this.#leaving.set(listener, { timer, closing: undefined });
    this.#options.log.info({ url: listener.url }, `${listenerNames[kind]} endpoint closed`);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const [kind, { open }] of this.#slots) {
      if (open === undefined) continue;
      this.#leaving.set(open.listener, { timer: undefined, closing: undefined });
      this.#options.log.info({ url: open.listener.url }, `${listenerNames[kind]} endpoint closed`);
    }
    this.#slots.clear();
    await Promise.all([...this.#leaving.keys()].map((listener) => this.#leave(listener)));
  }

  #leave(listener: Listener): Promise<void> {
    const leaving = this.#leaving.get(listener);
    if (leaving === undefined) return Promise.resolve();
    clearTimeout(leaving.timer);
    leaving.closing ??= this.#close(listener);
    return leaving.closing;
  }

  async #close(listener: Listener): Promise<void> {
    await listener[Symbol.asyncDispose]();
    this.#leaving.delete(listener);
  }
}

function exposedOf({ listener, endpoint }: Open): Exposed | undefined {
  const { url, address } = listener;
  return isLoopback(address) ? undefined : { url, modules: endpoint.view.modules };
}
