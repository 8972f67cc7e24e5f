/**
 * JSON-RPC errors. The only place where an error of any room becomes an error object with a code, a message
 * and sometimes data.
 */
import { toQuantity } from "../bytes/integer.ts";
import { goText } from "./json-text.ts";

/** JSON-RPC error codes. Lower rooms do not know them: their errors are answered as `serverError`. */
export const rpcCode = {
  parse: -32700,
  invalidRequest: -32600,
  noMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  serverError: -32000,
  /** The answer, or the rest of a batch, exceeds the size limit of one message. */
  tooLarge: -32003,
  /** The node lacks memory for the call, or the caller's rate is used up: it may succeed later (EIP-1474). */
  limitExceeded: -32005,
  reverted: 3,
  /** Bodies or receipts were pruned; geth's code. */
  prunedHistory: 4444,
} as const;

/** Reasons that callers see as the same code but code inside the node distinguishes. */
export type FailureReason =
  | "deadline"
  | "too-little-gas"
  | "too-many-results"
  | "no-block"
  | "no-header"
  | "before-fork"
  | "bad-recovery-id"
  | "no-credit"
  | "too-many-calls"
  | "not-done";

/** An error with its own JSON-RPC code. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  /** JSON text. */
  readonly data: string | undefined;
  /** Not sent to callers. */
  readonly reason: FailureReason | undefined;
  constructor(code: number, message: string, data?: string, reason?: FailureReason) {
    super(message);
    this.code = code;
    this.data = data;
    this.reason = reason;
  }
}

/** Returns the error of a failed method, with the generic server code; callers see the message. */
export function failure(message: string, reason?: FailureReason): RpcError {
  return new RpcError(rpcCode.serverError, message, undefined, reason);
}

/** Returns the error of parameters that are wrong; callers see the message. */
export function invalidParams(message: string): RpcError {
  return new RpcError(rpcCode.invalidParams, message);
}

/** Receives every error that is a defect of the node, never one of a caller. */
export type BugListener = (error: unknown) => void;

const ROOM_CODE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** An error as callers see it. */
export interface CallError {
  readonly code: number;
  readonly message: string;
  /** JSON text. */
  readonly data: string | undefined;
  readonly reason?: FailureReason | undefined;
}

/**
 * Returns the error that a caller sees. An `RpcError` keeps its code. Pruned history has geth's code, and
 * data that names the first complete block after block 0. An error of another room, whose `code` is a
 * kebab-case word, is a server error with its own message. Anything else is a defect: `onBug` receives it and
 * the caller sees an internal error.
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

/** Returns the JSON text of an `error` member. */
export function errorJson({ code, message, data }: CallError): string {
  const head = `{"code":${code},"message":${goText(message)}`;
  return data === undefined ? `${head}}` : `${head},"data":${data}}`;
}
