/**
 * The subscriptions of one connection: limits, ids, and the order of messages. Notifications wait until the
 * answer with the id of their subscription has been written.
 */

import { randomFillSync } from "node:crypto";
import { goQuoted } from "../bytes/go-quoted.ts";
import { identifier } from "./codecs/plain.ts";
import type { RpcMessage } from "./envelope.ts";
import { failure, invalidParams, RpcError, rpcCode } from "./errors.ts";
import { goText, plainValue } from "./json-text.ts";
import { type Holder, MemoryBudget } from "./memory-budget.ts";
import { argumentDecoder } from "./method.ts";
import { MAX_SUBSCRIPTIONS } from "./options.ts";
import type { MethodView } from "./registry.ts";
import type { NotificationPayload, SubscribedConnection, Subscriber } from "./subscription.ts";

/** Limits of subscriptions, and what is counted of them; one object for the process. */
export interface SubscriptionLimit {
  /** Set by `admin_setMaxSubscriptionPerWSConn`. */
  perConnection: number;
  /** Memory of the subscriptions of all connections. The connection that holds the most is dropped first. */
  readonly shares: MemoryBudget;
  /** Subscriptions of all connections. */
  used: number;
  /** Calls that began and calls that ended a subscription since the start. */
  begun: number;
  ended: number;
  /** Open WebSocket connections. */
  connections: number;
}

/** Fits a hundred thousand ordinary subscriptions. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Memory of one subscription without parameters, measured. */
export const SUBSCRIPTION_BYTES = 560;
/** Memory of a filter for each character of its JSON, at most: an address has 45 characters and takes 260 bytes. */
export const BYTES_A_CHARACTER = 6;

/** `perConnection` is the Go node's limit. It does not limit the subscriptions of all connections; `maxBytes` does. */
export function createSubscriptionLimit(
  perConnection = MAX_SUBSCRIPTIONS,
  maxBytes = MAX_BYTES,
): SubscriptionLimit {
  return { perConnection, shares: new MemoryBudget(maxBytes), used: 0, begun: 0, ended: 0, connections: 0 };
}

/** Bytes of notifications that may wait for an answer; above it the connection is closed. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;

/** The connection as its subscriptions use it. */
export interface Outlet {
  /** Queues one notification for the peer; `isAscii` when each of its characters is one byte. */
  send(text: string, isAscii: boolean): void;
  /** Counts the bytes of all notifications that are held back. */
  hold(bytes: number): void;
  /** Closes the connection at once. */
  cut(): void;
  /** Name of the client whose connections are counted together. */
  readonly owner?: string | undefined;
}

/** The subscriptions of one connection. */
export class Subscriptions implements SubscribedConnection {
  readonly #view: MethodView;
  readonly #limit: SubscriptionLimit;
  readonly #outlet: Outlet;
  readonly #live = new Map<string, Live>();
  readonly #holder: Holder;
  #bytes = 0;
  #heldBytes = 0;
  #isCut = false;

  constructor(view: MethodView, limit: SubscriptionLimit, outlet: Outlet) {
    this.#view = view;
    this.#limit = limit;
    this.#outlet = outlet;
    this.#holder = { owner: outlet.owner, onDrop: () => this.cut() };
  }

  /** Number of subscriptions. */
  get size(): number {
    return this.#live.size;
  }

  /**
   * Returns the subscriptions for one message: those that it begins are silent until its answer has been
   * written.
   */
  turn(): MessageSubscriptions {
    return new MessageSubscriptions(this);
  }

  /**
   * Starts a subscription for `<module>_subscribe`, silent until it is released. `size` is the length of its
   * parameters. Throws `RpcError`.
   */
  start(module: string, params: unknown, size: number): Live {
    const limit = this.#limit;
    if (this.#live.size >= limit.perConnection) {
      throw failure(this.#view.subscriptionLimit.replace("%d", String(limit.perConnection)));
    }
    const [name, rest] = subscriptionName(params);
    const row = this.#view.findSubscription(module, name);
    if (row === undefined) {
      throw new RpcError(
        rpcCode.noMethod,
        `no ${goQuoted(name.toWellFormed())} subscription in ${module} namespace`,
      );
    }
    const bytes = SUBSCRIPTION_BYTES + BYTES_A_CHARACTER * size;
    const live = new Live({ connection: this, outlet: this.#outlet, head: notificationHead(module), bytes });
    const stop = row.start(rest, live);
    if (this.#isCut || !limit.shares.claim(this.#holder, this.#bytes + bytes)) {
      stop();
      throw failure("too many subscriptions on all connections together");
    }
    live.stop = stop;
    this.#live.set(live.id, live);
    this.#bytes += bytes;
    limit.begun++;
    limit.used++;
    return live;
  }

  /** Ends a subscription. Throws `RpcError` when this connection has none with the id. */
  end(id: string): void {
    this.#limit.ended++;
    const live = this.#live.get(id);
    if (live === undefined) throw failure("subscription not found");
    this.#live.delete(id);
    this.#limit.used--;
    this.#bytes -= live.bytes;
    live.end();
    if (!this.#isCut) this.#limit.shares.hold(this.#holder, this.#bytes);
  }

  /** Ends all subscriptions of a closed connection. */
  close(): void {
    this.#limit.used -= this.#live.size;
    for (const live of this.#live.values()) live.end();
    this.#live.clear();
    this.#bytes = 0;
    this.#limit.shares.hold(this.#holder, 0);
  }

  /** See `SubscribedConnection`. */
  cut(): void {
    this.#isCut = true;
    this.#outlet.cut();
  }

  /**
   * Counts notifications that wait for an answer, with negative bytes for those that no longer do. Returns
   * false above the limit.
   */
  hold(bytes: number): boolean {
    this.#heldBytes += bytes;
    this.#outlet.hold(this.#heldBytes);
    if (this.#heldBytes <= MAX_HELD_BYTES) return true;
    this.cut();
    return false;
  }
}

/** The subscriptions as one message sees them. */
export class MessageSubscriptions {
  readonly #all: Subscriptions;
  #started: Live[] | undefined;

  constructor(all: Subscriptions) {
    this.#all = all;
  }

  /** Starts a subscription and returns its id as JSON text. Throws `RpcError`. */
  subscribe(module: string, params: unknown, size = 0): string {
    const live = this.#all.start(module, params, size);
    this.#started ??= [];
    this.#started.push(live);
    return `"${live.id}"`;
  }

  /** Ends a subscription and returns `true`. Throws `RpcError` when this connection has none with the id. */
  unsubscribe(id: string): string {
    this.#all.end(id);
    return "true";
  }

  /** Called when the answer of the message has been written: the waiting notifications follow it. */
  release(): void {
    if (this.#started === undefined) return;
    for (const live of this.#started) live.release();
    this.#started = undefined;
  }
}

interface LiveOptions {
  readonly connection: Subscriptions;
  readonly outlet: Outlet;
  /** A notification's text up to the id. */
  readonly head: string;
  readonly bytes: number;
}

/** One running subscription. */
class Live implements Subscriber {
  readonly id: string = newSubscriptionId();
  readonly connection: Subscriptions;
  /** Memory that is counted for it. */
  readonly bytes: number;
  stop: () => void = () => undefined;
  readonly #outlet: Outlet;
  readonly #head: string;
  /** Undefined once the answer that names it has been written. */
  #held: NotificationPayload[] | undefined = [];
  #isEnded = false;

  constructor({ connection, outlet, head, bytes }: LiveOptions) {
    this.connection = connection;
    this.bytes = bytes;
    this.#outlet = outlet;
    this.#head = head;
  }

  notify(payload: NotificationPayload): void {
    if (this.#isEnded) return;
    if (this.#held === undefined) this.#send(payload);
    else if (this.connection.hold(this.#lengthOf(payload))) this.#held.push(payload);
  }

  release(): void {
    const held = this.#unhold();
    for (const payload of held) if (!this.#isEnded) this.#send(payload);
  }

  end(): void {
    this.#isEnded = true;
    this.#unhold();
    this.stop();
  }

  #unhold(): readonly NotificationPayload[] {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (held.length > 0) this.connection.hold(-held.reduce((sum, each) => sum + this.#lengthOf(each), 0));
    return held;
  }

  #lengthOf({ rest }: NotificationPayload): number {
    return this.#head.length + this.id.length + rest.length;
  }

  #send({ rest, isAscii }: NotificationPayload): void {
    this.#outlet.send(this.#head + this.id + rest, isAscii);
  }
}

const heads = new Map<string, string>();

/** A notification's text up to the id; the same string for all of a module, whose subscriptions were found before. */
function notificationHead(module: string): string {
  let head = heads.get(module);
  if (head === undefined) {
    head = `{"jsonrpc":"2.0","method":${goText(`${module}_subscription`)},"params":{"subscription":"`;
    heads.set(module, head);
  }
  return head;
}

/** Parameters that are absent or null are no array here (`parseSubscriptionName` of `networks/rpc/json.go@v2.2.2`). */
function subscriptionName(params: unknown): readonly [string, readonly unknown[]] {
  if (!Array.isArray(params)) throw invalidParams("non-array args");
  const [first, ...rest] = params as readonly unknown[];
  const name = plainValue(first);
  if (typeof name !== "string") {
    throw invalidParams("expected subscription name as first argument");
  }
  return [name, rest];
}

/** The connection of a call; `subscriptions` is undefined over HTTP, which has no notifications. */
interface CallConnection {
  readonly subscriptions: MessageSubscriptions | undefined;
}

/**
 * Returns the kind of a method that begins or ends a subscription. Every module has both; neither has a row
 * in the registry.
 */
export function subscriptionCall(method: string): "subscribe" | "unsubscribe" | undefined {
  if (method.endsWith("_subscribe")) return "subscribe";
  return method.endsWith("_unsubscribe") ? "unsubscribe" : undefined;
}

/**
 * Begins a subscription of the module in front of the first underscore, whatever stands before the suffix. Throws
 * `RpcError` when the transport has no notifications.
 */
export function subscribe(
  { method, params, paramsText }: RpcMessage,
  { subscriptions }: CallConnection,
): string {
  if (subscriptions === undefined) throw failure("notifications not supported");
  const module = method.slice(0, method.indexOf("_"));
  return subscriptions.subscribe(module, params, paramsText.length);
}

const unsubscribeArguments = argumentDecoder({ id: identifier });

/** Ends a subscription. Throws `RpcError` when it does not exist. */
export function unsubscribe({ params }: RpcMessage, { subscriptions }: CallConnection): string {
  const { id } = unsubscribeArguments(params);
  if (subscriptions === undefined) throw failure("subscription not found");
  return subscriptions.unsubscribe(String(id));
}

const ID_BYTES = 16;
/** Random bytes of 256 ids: a call for each costs ten times as much. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** Returns a new id of a subscription or filter: `0x` and 16 random bytes without leading zero digits. */
export function newSubscriptionId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const digits = pool.toString("hex", used, used + ID_BYTES).replace(/^0+/, "");
  used += ID_BYTES;
  return `0x${digits.length === 0 ? "0" : digits}`;
}
