/** Kinds of subscriptions as objects, like methods: module, name, parameters, notifications and start. */
import type { Decoded } from "./codec.ts";
import {
  argumentDecoder,
  type ParameterRow,
  type Parameters,
  type Privilege,
  parameterRows,
} from "./method.ts";
import type { Schema } from "./schemas.ts";

/** The part of a notification behind its subscription's id: the same for all subscribers, so it is built once. */
export class NotificationPayload {
  readonly rest: string;
  /** Each character is one byte of UTF-8. */
  readonly isAscii: boolean;

  /** `json` is the result that subscribers are notified of. */
  constructor(json: string) {
    this.rest = `","result":${json}}}\n`;
    this.isAscii = Buffer.byteLength(this.rest) === this.rest.length;
  }
}

/** A connection with subscriptions. */
export interface SubscribedConnection {
  /** Closes it at once: it holds too much. */
  cut(): void;
}

/** A running subscription, as the source of its events sees it. */
export interface Subscriber {
  readonly connection: SubscribedConnection;
  notify(payload: NotificationPayload): void;
}

/** A kind of subscription without its static types, as the registry holds it. */
export interface Subscription {
  /** The module of its `_subscribe` method. */
  readonly module: string;
  readonly name: string;
  readonly summary: string;
  readonly params: readonly ParameterRow[];
  /** Schema of the result in each notification. */
  readonly notification: Schema;
  readonly privilege: Privilege | undefined;
  /**
   * Starts a subscription and returns the function that stops it. Throws `RpcError` for invalid parameters.
   */
  start(params: readonly unknown[], subscriber: Subscriber): () => void;
  /** Returns a subscription that takes other parameters; arguments without a parameter are undefined. */
  withParams(params: Parameters): Subscription;
}

/** The source form of a subscription, with static types. */
export interface SubscriptionDefinition<P extends Parameters> {
  readonly module: string;
  readonly name: string;
  readonly summary: string;
  readonly params: P;
  readonly notification: Schema;
  readonly privilege?: Privilege;
  start(args: Decoded<P>, subscriber: Subscriber): () => void;
}

/** Methods that begin and end subscriptions of a module, as OpenRPC lists them; `klay` and `kaia` are `chain`. */
export const SUBSCRIPTION_METHODS: Readonly<Record<string, readonly [begin: string, end: string]>> = {
  admin: ["admin_subscribe", "admin_unsubscribe"],
  auction: ["auction_subscribe", "auction_unsubscribe"],
  chain: ["chain_subscribe", "chain_unsubscribe"],
  debug: ["debug_subscribe", "debug_unsubscribe"],
  eth: ["eth_subscribe", "eth_unsubscribe"],
};

/** Creates a kind of subscription. Error texts number the arguments from 1: the name is argument 0. */
export function subscription<const P extends Parameters>(
  definition: SubscriptionDefinition<P>,
): Subscription {
  const { module, name, summary, params, notification, privilege } = definition;
  const decode = argumentDecoder(params, 1);
  return {
    module,
    name,
    summary,
    params: parameterRows(params),
    notification,
    privilege,
    start: (json, subscriber) => definition.start(decode(json) as Decoded<P>, subscriber), // each came from its codec
    withParams: (others) => subscription({ ...definition, params: others as P }), // the caller's promise
  };
}
