/** Limits and counters that all endpoints of a process share, and the outcomes by which calls are counted. */

import { FairTime } from "../runtime/fair-time.ts";
import { ByteCache } from "./byte-cache.ts";
import { type CallError, rpcCode } from "./errors.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { responseOptions } from "./options.ts";

/** Limits and counters of all endpoints of a process. */
export interface DispatchBudget {
  /** Requests with an asynchronous answer under way. */
  pending: number;
  /** Calls and notifications since the start. `errors` counts those that failed. */
  total: number;
  errors: number;
  readonly maxPending: number;
  /** Maximum characters in the answer of one message. Batch entries above it are refused one by one. */
  readonly maxAnswer: number;
  /** Answers and notifications that peers of all transports have not read yet. */
  readonly unsent: MemoryBudget;
  /** Messages under way with their parsed parameters, by the connection that sent them. */
  readonly calls: MemoryBudget;
  /** Bytes of unfinished answers of batches. */
  unfinished: number;
  readonly maxUnfinished: number;
  /** Long answers while they are written, by the connection that asked for them. */
  readonly written: MemoryBudget;
  /** The time in which messages of all connections are answered. */
  readonly time: FairTime;
  /** Bytes of long results that are answered repeatedly. */
  readonly byteCache: ByteCache;
  /** Counts a call of a client. Returns false when it exceeds the rate of clients. */
  readonly isWithinRate: (client: string) => boolean;
  /** Maximum calls in a batch; 0 for no limit. */
  readonly maxBatch: number;
  /** Called for each call once it has been answered. */
  readonly onCall: CallListener;
}

/** Maximum bytes that wait for all peers together. */
const MAX_UNSENT = 256 * 1024 * 1024;
/** Maximum bytes of messages under way, and of unfinished answers. */
const MAX_CALLS = 64 * 1024 * 1024;
const MAX_UNFINISHED = 128 * 1024 * 1024;
/** Maximum bytes of long answers that are being written. */
const MAX_WRITTEN = 128 * 1024 * 1024;

/** Limits that `createBudget` takes. */
type BudgetLimits = Pick<
  DispatchBudget,
  | "maxPending"
  | "maxAnswer"
  | "unsent"
  | "calls"
  | "maxUnfinished"
  | "written"
  | "byteCache"
  | "isWithinRate"
  | "maxBatch"
  | "onCall"
>;

/** Creates a budget. The defaults are the Go node's limit of pending requests and answers of 25 MB. */
export function createBudget(limits: Partial<BudgetLimits> = {}): DispatchBudget {
  const unsent = new MemoryBudget(MAX_UNSENT);
  return {
    pending: 0,
    total: 0,
    errors: 0,
    unfinished: 0,
    maxUnfinished: MAX_UNFINISHED,
    written: new MemoryBudget(MAX_WRITTEN),
    calls: new MemoryBudget(MAX_CALLS),
    maxPending: 200_000,
    maxAnswer: responseOptions.maxAnswerBytes.default,
    unsent,
    time: new FairTime("messages"),
    byteCache: new ByteCache(),
    isWithinRate: () => true,
    maxBatch: 0,
    onCall: () => undefined,
    ...limits,
  };
}

/**
 * Reports if batches may continue. Half of the unsent bytes are reserved for finished answers, so that the
 * rest of a batch is refused before a connection is dropped.
 */
export function hasRoom({ unfinished, maxUnfinished, unsent }: AnswerRoom): boolean {
  return unfinished < maxUnfinished && unfinished + unsent.used < unsent.max / 2;
}

/** The part of a budget that answers of batches use. */
export type AnswerRoom = Pick<DispatchBudget, "maxAnswer" | "unfinished" | "maxUnfinished" | "unsent">;

/**
 * The outcome of a call, as a metric label. `failed` is an error of the method itself, `defect` one of the
 * node.
 */
export type CallOutcome =
  | "ok"
  | "failed"
  | "reverted"
  | "bad_parameters"
  | "no_method"
  | "too_large"
  | "no_memory"
  | "too_many"
  | "defect";

/** Receives the registered name of a method, the outcome of the call and its duration in milliseconds. */
export type CallListener = (method: string, outcome: CallOutcome, ms: number) => void;

/** The name under which all unregistered methods are counted: callers choose those names. */
export const UNKNOWN_METHOD = "unknown";

const OUTCOMES: ReadonlyMap<number, CallOutcome> = new Map([
  [rpcCode.reverted, "reverted"],
  [rpcCode.invalidParams, "bad_parameters"],
  [rpcCode.noMethod, "no_method"],
  [rpcCode.tooLarge, "too_large"],
  [rpcCode.limitExceeded, "no_memory"],
  [rpcCode.internal, "defect"],
]);

/** Returns the outcome of a call that was answered with an error. */
export function outcomeOf({ code, reason }: CallError): CallOutcome {
  if (reason === "too-many-calls") return "too_many";
  return OUTCOMES.get(code) ?? "failed";
}
