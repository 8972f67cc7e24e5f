/** How calls end, in a few words: what they are counted by. */
import { type CallError, rpcCode } from "./errors.ts";

/** `failed`: with an error of the method's own. `defect`: of the node. */
export type CallOutcome =
  | "ok"
  | "failed"
  | "reverted"
  | "bad_parameters"
  | "no_method"
  | "too_large"
  | "no_memory"
  | "defect";

/** Told of a call by its method's registered name, how it ended, and how many milliseconds it took. */
export type CallListener = (method: string, outcome: CallOutcome, ms: number) => void;

/** Names that callers make up are counted together. */
export const UNKNOWN_METHOD = "unknown";

const OUTCOMES: ReadonlyMap<number, CallOutcome> = new Map([
  [rpcCode.reverted, "reverted"],
  [rpcCode.invalidParams, "bad_parameters"],
  [rpcCode.noMethod, "no_method"],
  [rpcCode.tooLarge, "too_large"],
  [rpcCode.noMemory, "no_memory"],
  [rpcCode.internal, "defect"],
]);

/** The outcome of a call that was answered with an error. */
export function outcomeOf({ code }: CallError): CallOutcome {
  return OUTCOMES.get(code) ?? "failed";
}
