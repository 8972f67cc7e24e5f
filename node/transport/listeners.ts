/**
 * The listeners of a node: at most one for HTTP and one for WebSocket, opened by options or `admin_start...`
 * and closed by `admin_stop...`, and IPC for the lifetime of the node.
 */

import type { RpcEndpoint } from "../jsonrpc/dispatch.ts";
import { failure } from "../jsonrpc/errors.ts";
import { moduleOf, moduleRows } from "../jsonrpc/modules.ts";
import type { Log } from "../observe/log.ts";
import { isLoopback, type Listener } from "./listener.ts";

/** Kinds of listeners that can be started and stopped. */
export type ListenerKind = "http" | "ws";

/** Settings of a listener to be opened. */
export interface ListenerPlan {
  readonly host: string;
  readonly port: number;
  /** Module names; an empty list means everything public. */
  readonly modules: readonly string[];
  /** Permitted origins of browsers. */
  readonly origins: readonly string[];
  /** Permitted host names, for HTTP only. */
  readonly virtualHosts: readonly string[];
}

/** An open listener that other machines can reach. */
export interface Exposed {
  readonly url: string;
  /** As `rpc_modules` lists them. */
  readonly modules: readonly string[];
}

/** Starts and stops listeners. */
export interface ListenerControl {
  /** Returns `host:port` of a listener that is open or opening. */
  address(kind: ListenerKind): string | undefined;
  /**
   * Starts a listener. Rejects with `RpcError` when one is running, with the system's error when the address
   * is not available.
   */
  start(kind: ListenerKind, plan: ListenerPlan): Promise<void>;
  /** Stops a listener and frees its address before it returns. False when none was running. */
  stop(kind: ListenerKind): boolean;
}

/** The listeners of a node. Disposing closes all of them. */
export interface Listeners extends ListenerControl, AsyncDisposable {
  url(kind: ListenerKind): string | undefined;
  /** Returns the listeners on addresses that other machines can reach. */
  listExposed(): readonly Exposed[];
}

/** Options of the listeners of a node. */
export interface ListenersOptions {
  readonly log: Log;
  readonly endpoint: (modules: readonly string[]) => RpcEndpoint;
  readonly open: Readonly<
    Record<ListenerKind, (plan: ListenerPlan, endpoint: RpcEndpoint) => Promise<Listener>>
  >;
  /**
   * Milliseconds during which connections of a stopped HTTP listener get empty answers; undefined closes
   * them.
   */
  readonly keepStoppedMs?: number | undefined;
  /** Called for every listener that has been opened. */
  readonly onOpen?: (exposed: Exposed | undefined) => void;
}

/** Names of the kinds in texts for people. */
export const listenerNames: Readonly<Record<ListenerKind, string>> = { http: "HTTP", ws: "WebSocket" };

/** Creates the listeners, none of them open. */
export function createListeners(options: ListenersOptions): Listeners {
  return new NodeListeners(options);
}

interface Slot {
  readonly address: string;
  readonly open: Open | undefined;
}

interface Open {
  readonly listener: Listener;
  readonly endpoint: RpcEndpoint;
}

/** A stopped listener: the time of its closing, and the closing itself once it has begun. */
interface Leaving {
  readonly timer: NodeJS.Timeout | undefined;
  closing: Promise<void> | undefined;
}

class NodeListeners implements Listeners {
  readonly #options: ListenersOptions;
  readonly #slots = new Map<ListenerKind, Slot>();
  /** Stopped listeners with open connections. */
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

  listExposed(): readonly Exposed[] {
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
      this.#warnOfUnknown(name, plan.modules);
      this.#options.onOpen?.(exposedOf(open));
    } catch (error) {
      this.#slots.delete(kind);
      throw error;
    }
  }

  /** The Go node ignores unknown modules; a misspelt one, or `all`, is reported here. */
  #warnOfUnknown(name: string, modules: readonly string[]): void {
    const unknown = modules.filter((each) => moduleOf(each.trim()) === undefined);
    if (unknown.length === 0) return;
    const known = moduleRows.map((row) => row.name).join(",");
    this.#options.log.warn({ modules: unknown.join(","), known }, `${name} serves no module of this name`);
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
