/** The only place where an error becomes a JSON-RPC error object: a code, a message and sometimes data. */
import { toQuantity } from "../bytes/integer.ts";
import { goText } from "./json-text.ts";

/** Codes this room gives out. Rooms below never know one: what they throw is answered as `serverError`. */
export const rpcCode = {
  parse: -32700,
  invalidRequest: -32600,
  noMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  serverError: -32000,
  /** An answer, or the rest of a batch, would pass the size limit of one message. */
  tooLarge: -32003,
  /** The node has no memory for it: the same call may go through later. EIP-1474's "limit exceeded". */
  noMemory: -32005,
  reverted: 3,
  /** Bodies or receipts that were let go of; geth's code. */
  prunedHistory: 4444,
} as const;

/** Reasons that programs inside the node tell apart though callers see one code for all of them. */
export type FailureReason = "deadline" | "too-little-gas" | "too-many-results";

/** An error with its own JSON-RPC code. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  /** JSON text. */
  readonly data: string | undefined;
  /** Never sent to a caller. */
  readonly reason: FailureReason | undefined;
  constructor(code: number, message: string, data?: string, reason?: FailureReason) {
    super(message);
    this.code = code;
    this.data = data;
    this.reason = reason;
  }
}

/** An error of a method, with the generic server code: the text is what the caller sees. */
export function failure(message: string, reason?: FailureReason): RpcError {
  return new RpcError(rpcCode.serverError, message, undefined, reason);
}

/** Told of every error that is a defect of the node, never of the caller. */
export type BugListener = (error: unknown) => void;

const ROOM_CODE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** What a caller is told of an error. */
export interface CallError {
  readonly code: number;
  readonly message: string;
  /** JSON text. */
  readonly data: string | undefined;
  readonly reason?: FailureReason | undefined;
}

/**
 * What is told of an error. An `RpcError` keeps its code; history that was let go of has geth's code, and data that
 * names the first whole block after block 0; any other error of another room (its `code` is a kebab-case word)
 * is a server error with its own words; anything else is a defect: it is reported to `onBug` and the caller learns
 * nothing of it.
 */
export function errorOf(error: unknown, onBug: BugListener): CallError {
  if (error instanceof RpcError) return error;
  const { code, message, oldest } = (error ?? {}) as { code?: unknown; message?: unknown; oldest?: unknown };
  if (typeof code === "string" && ROOM_CODE.test(code) && typeof message === "string") {
    if (typeof oldest === "number") return prunedHistory(message, oldest);
    return { code: rpcCode.serverError, message, data: undefined };
  }
  onBug(error);
  return { code: rpcCode.internal, message: "internal error", data: undefined };
}

function prunedHistory(message: string, oldest: number): CallError {
  return { code: rpcCode.prunedHistory, message, data: `{"oldestBlock":"${toQuantity(oldest)}"}` };
}

/** The JSON text of an `error` member. */
export function errorJson({ code, message, data }: CallError): string {
  const head = `{"code":${code},"message":${goText(message)}`;
  return data === undefined ? `${head}}` : `${head},"data":${data}}`;
}
