/**
 * The subscriptions of one connection: limit, ids and the hold-back of notifications until the answer that names the
 * subscription has been written. What is sent goes to the connection, which has a byte budget of its own.
 */
import { failure, RpcError, rpcCode } from "./errors.ts";
import { goText } from "./json-text.ts";
import type { MethodView } from "./registry.ts";
import { newSubscriptionId } from "./subscription-id.ts";

/** How many subscriptions there may be; one object for the process. */
export interface SubscriptionLimit {
  /** Changed by an admin method. */
  perConnection: number;
  /** Of all connections together. */
  readonly all: number;
  /** How many there are. */
  used: number;
  /** Characters of their parameters together: filters are held as long as they live. */
  readonly allText: number;
  usedText: number;
  /** Begun and asked to end since the start. */
  begun: number;
  ended: number;
  /** WebSocket connections that are open. */
  connections: number;
}

/** Fits every filter of a hundred thousand ordinary subscriptions. */
const MAX_TEXT = 64 * 1024 * 1024;

/** The Go node's limit per connection; all together, which it does not limit, are limited here. */
export function createSubscriptionLimit(
  perConnection = 3000,
  all = 100_000,
  allText = MAX_TEXT,
): SubscriptionLimit {
  return { perConnection, all, used: 0, allText, usedText: 0, begun: 0, ended: 0, connections: 0 };
}

/** Notifications held back while an answer is being made: beyond these bytes the connection is closed. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;

/** What subscriptions need of their connection. */
export interface Outlet {
  /** Queues one notification for the peer. */
  send(text: string): void;
  /** The peer reads too slowly. */
  overflow(): void;
}

/** The subscriptions of one connection. */
export class Subscriptions {
  readonly #view: MethodView;
  readonly #limit: SubscriptionLimit;
  readonly #outlet: Outlet;
  readonly #live = new Map<string, Live>();

  constructor(view: MethodView, limit: SubscriptionLimit, outlet: Outlet) {
    this.#view = view;
    this.#limit = limit;
    this.#outlet = outlet;
  }

  /** How many there are. */
  get size(): number {
    return this.#live.size;
  }

  /** For one message: what it subscribes to stays silent until its answer has been written. */
  turn(): Turn {
    return new Turn(this);
  }

  /** Starts one for `<module>_subscribe`, silent until released; `size` is its parameters'. Throws `RpcError`. */
  start(module: string, params: unknown, size: number): Live {
    const { perConnection, all, used, allText, usedText } = this.#limit;
    if (this.#live.size >= perConnection) {
      throw failure(this.#view.profile.subscriptionLimit.replace("%d", String(perConnection)));
    }
    if (used >= all || usedText + size > allText)
      throw failure("too many subscriptions on all connections together");
    const [name, rest] = subscriptionName(params);
    const row = this.#view.findSubscription(module, name);
    if (row === undefined) {
      throw new RpcError(rpcCode.noMethod, `no ${JSON.stringify(name)} subscription in ${module} namespace`);
    }
    const id = newSubscriptionId();
    const method = goText(`${module}_subscription`);
    const head = `{"jsonrpc":"2.0","method":${method},"params":{"subscription":"${id}","result":`;
    const live = new Live(id, size, this.#outlet);
    live.stop = row.start(rest, (payload) => live.notify(`${head}${payload}}}\n`));
    this.#live.set(id, live);
    this.#limit.begun++;
    this.#limit.used++;
    this.#limit.usedText += size;
    return live;
  }

  /** Ends one. Throws `RpcError` when this connection has no such subscription. */
  end(id: string): void {
    this.#limit.ended++;
    const live = this.#live.get(id);
    if (live === undefined) throw failure("subscription not found");
    this.#live.delete(id);
    this.#end(live);
  }

  /** The connection is gone. */
  close(): void {
    for (const live of this.#live.values()) this.#end(live);
    this.#live.clear();
  }

  #end(live: Live): void {
    this.#limit.used--;
    this.#limit.usedText -= live.size;
    live.end();
  }
}

/** The subscriptions as one message sees them. */
export class Turn {
  readonly #all: Subscriptions;
  #started: Live[] | undefined;

  constructor(all: Subscriptions) {
    this.#all = all;
  }

  /** Starts one; its id as JSON text. Throws `RpcError`. */
  subscribe(module: string, params: unknown, size = 0): string {
    const live = this.#all.start(module, params, size);
    this.#started ??= [];
    this.#started.push(live);
    return `"${live.id}"`;
  }

  /** Ends one: `true`. Throws `RpcError` when this connection has no such subscription. */
  unsubscribe(id: string): string {
    this.#all.end(id);
    return "true";
  }

  /** The message's answer has been written: what was held back follows it. */
  release(): void {
    if (this.#started === undefined) return;
    for (const live of this.#started) live.release();
    this.#started = undefined;
  }
}

/** One running subscription. */
class Live {
  readonly id: string;
  /** Characters of its parameters. */
  readonly size: number;
  stop: () => void = () => undefined;
  readonly #outlet: Outlet;
  #held: string[] | undefined = [];
  #heldBytes = 0;
  #ended = false;

  constructor(id: string, size: number, outlet: Outlet) {
    this.id = id;
    this.size = size;
    this.#outlet = outlet;
  }

  notify(text: string): void {
    if (this.#ended) return;
    if (this.#held === undefined) {
      this.#outlet.send(text);
      return;
    }
    this.#heldBytes += text.length;
    if (this.#heldBytes > MAX_HELD_BYTES) this.#outlet.overflow();
    else this.#held.push(text);
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) if (!this.#ended) this.#outlet.send(text);
  }

  end(): void {
    this.#ended = true;
    this.#held = undefined;
    this.stop();
  }
}

function subscriptionName(params: unknown): readonly [string, readonly unknown[]] {
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw new RpcError(rpcCode.invalidParams, "non-array args");
  }
  const [name, ...rest] = (params ?? []) as readonly unknown[];
  if (typeof name !== "string") {
    throw new RpcError(rpcCode.invalidParams, "expected subscription name as first argument");
  }
  return [name, rest];
}
