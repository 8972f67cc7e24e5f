/** Messages of JSON-RPC as data, and calls that a part of the node makes on the node's own methods. */
import type { RpcEndpoint, RpcSession } from "../jsonrpc/dispatch.ts";
import { RpcError, rpcCode } from "../jsonrpc/errors.ts";

/** A request or an answer. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: RpcFault;
}

/** Error of an answer. */
export interface RpcFault {
  readonly code?: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Calls a method. Rejects with `RpcError`, the node's own answer. */
export type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** Returns the function that calls the methods of an endpoint. */
export function askOf(endpoint: RpcEndpoint): Ask {
  const session: RpcSession = {
    signal: new AbortController().signal,
    subscriptions: undefined,
    caller: { onDrop: () => undefined },
  };
  return async (name, ...params) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params });
    const [answer] = messagesIn(await endpoint.answer(text, session));
    const { error } = answer ?? {};
    if (error !== undefined) throw new RpcError(error.code ?? rpcCode.serverError, error.message);
    return answer?.result;
  };
}

/** Returns the messages of a text; none for an answer in parts and for anything that is not JSON. */
export function messagesIn(answer: unknown): readonly Message[] {
  const text = typeof answer === "string" ? answer : "[]"; // long answers in parts have no errors
  try {
    const json: unknown = JSON.parse(text === "" ? "[]" : text);
    const list = Array.isArray(json) ? json : [json];
    return list.filter((each): each is Message => typeof each === "object" && each !== null);
  } catch {
    return [];
  }
}
