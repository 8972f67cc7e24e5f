/** One kind of subscription is one object, as a method is: what it takes and how it is started. */
import type { Decoded } from "./codec.ts";
import {
  argumentDecoder,
  type ParameterRow,
  type Parameters,
  type Privilege,
  parameterRows,
} from "./method.ts";

/** Takes one payload, as JSON text. */
export type Notify = (payload: string) => void;

/** A kind of subscription without its types: what the registry holds. */
export interface Subscription {
  /** The module whose `_subscribe` it belongs to. */
  readonly module: string;
  readonly name: string;
  readonly summary: string;
  readonly params: readonly ParameterRow[];
  readonly privilege: Privilege | undefined;
  /** Starts it; what comes back stops it. Throws `RpcError` for bad parameters. */
  start(params: readonly unknown[], notify: Notify): () => void;
}

/** What a subscription is written as. */
export interface SubscriptionDefinition<P extends Parameters> {
  readonly module: string;
  readonly name: string;
  readonly summary: string;
  readonly params: P;
  readonly privilege?: Privilege;
  start(args: Decoded<P>, notify: Notify): () => void;
}

/** Makes a kind of subscription. Arguments are numbered from 1 in error texts: the name is argument 0. */
export function subscription<const P extends Parameters>(
  definition: SubscriptionDefinition<P>,
): Subscription {
  const { module, name, summary, params, privilege } = definition;
  const decode = argumentDecoder(params, 1);
  return {
    module,
    name,
    summary,
    params: parameterRows(params),
    privilege,
    start: (json, notify) => definition.start(decode(json) as Decoded<P>, notify), // each came from its codec
  };
}
