/** Filters of scripts. A watched filter polls the node every half second. */
import type { RpcCall } from "./requests.ts";

type Callback = (error: unknown, result?: unknown) => void;

/** Subject of a filter: new blocks, pending transactions or logs. */
export type FilterOptions = "latest" | "pending" | Readonly<Record<string, unknown>>;

/** Parts of a filter. */
export interface ConsoleFilterDeps {
  readonly send: (call: RpcCall) => unknown;
  /** The module of the filter methods. */
  readonly prefix: string;
  readonly format: (value: unknown) => unknown;
}

const EVERY_MS = 500;

/** A filter that polls the node. */
export class Filter {
  readonly filterId: unknown;
  readonly options: FilterOptions;
  readonly #deps: ConsoleFilterDeps;
  #callbacks: Callback[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FilterOptions, deps: ConsoleFilterDeps, callback?: Callback) {
    this.options = options;
    this.#deps = deps;
    this.filterId = this.#create();
    if (callback !== undefined) this.watch(callback);
  }

  #create(): unknown {
    const { send, prefix } = this.#deps;
    if (this.options === "latest") return send({ method: `${prefix}_newBlockFilter`, params: [] });
    if (this.options === "pending")
      return send({ method: `${prefix}_newPendingTransactionFilter`, params: [] });
    return send({ method: `${prefix}_newFilter`, params: [this.options] });
  }

  /** Calls back with each item, existing logs first. */
  watch(callback: Callback): this {
    if (typeof this.options !== "string") for (const log of this.get() as unknown[]) callback(null, log);
    this.#callbacks.push(callback);
    this.#timer ??= setInterval(() => this.#poll(), EVERY_MS);
    return this;
  }

  #poll(): void {
    const { send, prefix, format } = this.#deps;
    let found: unknown;
    try {
      found = send({ method: `${prefix}_getFilterChanges`, params: [this.filterId] });
    } catch (error) {
      for (const callback of this.#callbacks) callback(error);
      return;
    }
    for (const each of Array.isArray(found) ? found : []) {
      for (const callback of this.#callbacks) callback(null, format(each));
    }
  }

  /** Returns all logs that match. */
  get(callback?: Callback): unknown {
    const { send, prefix, format } = this.#deps;
    const found = send({ method: `${prefix}_getFilterLogs`, params: [this.filterId] });
    const logs = Array.isArray(found) ? found.map(format) : found;
    callback?.(null, logs);
    return logs;
  }

  /** Uninstalls the filter on the node. */
  stopWatching(callback?: Callback): unknown {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#callbacks = [];
    const { send, prefix } = this.#deps;
    const removed = send({ method: `${prefix}_uninstallFilter`, params: [this.filterId] });
    callback?.(null, removed);
    return removed;
  }
}
