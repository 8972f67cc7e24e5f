/** Calls that begin and end subscriptions: of any module, without a row in the registry. */
import { identifier } from "./codecs/plain.ts";
import type { Message } from "./envelope.ts";
import { failure } from "./errors.ts";
import { argumentDecoder } from "./method.ts";
import type { Turn } from "./subscriptions.ts";

/** Undefined where nothing can be pushed: HTTP. */
interface Pushing {
  readonly subscriptions: Turn | undefined;
}

/** Which of the two a method's name is, if any. */
export function subscriptionCall(method: string): "subscribe" | "unsubscribe" | undefined {
  if (method.endsWith("_subscribe")) return "subscribe";
  return method.endsWith("_unsubscribe") ? "unsubscribe" : undefined;
}

/** Throws `RpcError` where nothing can be pushed. */
export function subscribe({ method, params, paramsText }: Message, { subscriptions }: Pushing): string {
  if (subscriptions === undefined) throw failure("notifications not supported");
  return subscriptions.subscribe(method.slice(0, -"_subscribe".length), params, paramsText.length);
}

const unsubscribeArguments = argumentDecoder({ id: identifier });

/** Throws `RpcError` where there is no such subscription. */
export function unsubscribe({ params }: Message, { subscriptions }: Pushing): string {
  const { id } = unsubscribeArguments(params);
  if (subscriptions === undefined) throw failure("subscription not found");
  return subscriptions.unsubscribe(String(id));
}
