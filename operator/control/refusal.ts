/** Error responses of a gateway: a JSON-RPC error that names the hop, with an HTTP status for each hop. */
import type { Hop } from "../api/hops.ts";

/** Hops that a gateway reports, with their HTTP status. */
export const reportedHops = {
  gateway: 500,
  refused: 403,
  busy: 503,
  socket: 502,
  silent: 504,
  "bad-answer": 502,
} as const satisfies Partial<Record<Hop, number>>;

/** A hop that a gateway reports. */
export type ReportedHop = keyof typeof reportedHops;

/** An error response; `rpcCode` is a JSON-RPC error code. */
export interface Refusal {
  readonly hop: ReportedHop;
  readonly rpcCode: number;
  readonly message: string;
}

/** Formats the body of an error response. */
export function refusalText({ hop, rpcCode, message }: Refusal): string {
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: rpcCode, message, data: hop } });
}

/** Returns the hop in the `data` of a gateway's error; `gateway` when there is none. */
export function hopOf(data: unknown): ReportedHop {
  return typeof data === "string" && Object.hasOwn(reportedHops, data) ? (data as ReportedHop) : "gateway"; // its own key
}
