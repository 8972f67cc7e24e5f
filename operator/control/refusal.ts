/** What a gateway answers instead of the node: a JSON-RPC error that names the hop, under an HTTP status of its own. */
import type { Hop } from "../api/hops.ts";

/** The hops that a gateway tells of, and the HTTP status of each. */
export const told = {
  gateway: 500,
  refused: 403,
  busy: 503,
  socket: 502,
  silent: 504,
  "bad-answer": 502,
} as const satisfies Partial<Record<Hop, number>>;

/** A hop that a gateway tells of. */
export type ToldHop = keyof typeof told;

/** A call that a gateway does not answer with the node's answer; `rpcCode` is JSON-RPC's. */
export interface Refusal {
  readonly hop: ToldHop;
  readonly rpcCode: number;
  readonly message: string;
}

/** The body of such an answer. */
export function refusalText({ hop, rpcCode, message }: Refusal): string {
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: rpcCode, message, data: hop } });
}

/** The hop in the `data` of an error that a gateway sent; `gateway` when it names none. */
export function hopOf(data: unknown): ToldHop {
  return typeof data === "string" && Object.hasOwn(told, data) ? (data as ToldHop) : "gateway"; // its own key
}
