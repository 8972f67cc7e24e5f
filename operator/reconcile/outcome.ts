/** Outcomes of steps. */
import { isKubeError } from "../kube/error.ts";
import { messageOf } from "../observe/message-of.ts";

/** A failure with its reason. */
export interface Failure {
  readonly kind: "fail";
  readonly reason: string;
  readonly message: string;
  /** True when only a change of the spec can help; there is no retry before. */
  readonly isFinal: boolean;
}

/** Continue with the next step, wait for a prerequisite, or fail with a reason. */
export type Outcome =
  | { readonly kind: "continue" }
  | { readonly kind: "wait"; readonly reason: string; readonly message: string; readonly afterMs: number }
  | Failure;

/** Continues with the next step. */
export const goOn: Outcome = { kind: "continue" };

/** Waits for a change, or for `afterMs` milliseconds. */
export function waitFor(reason: string, message: string, afterMs = 10_000): Outcome {
  return { kind: "wait", reason, message, afterMs };
}

/** Fails; retried with exponential backoff. */
export function failWith(reason: string, message: string): Failure {
  return { kind: "fail", reason, message, isFinal: false };
}

/** Fails finally, when the API server calls the spec invalid. */
export function refuseWith(reason: string, message: string): Failure {
  return { kind: "fail", reason, message, isFinal: true };
}

/** Returns the outcome of a refusal by the API server, a quota or an admission webhook. Throws other errors. */
export function refusalOf(error: unknown): Failure {
  if (isKubeError(error, "invalid")) return refuseWith("ObjectRefused", error.message);
  const isRefusal = (["not-ours", "forbidden", "other"] as const).some((code) => isKubeError(error, code));
  if (isRefusal) return failWith("ObjectRefused", messageOf(error));
  throw error;
}

/**
 * Returns the worst outcome: failures before waits, retriable failures before final ones, and the shortest of
 * all waits.
 */
export function worstOf(outcomes: readonly Outcome[]): Outcome {
  const failures = outcomes.filter((outcome) => outcome.kind === "fail");
  const failure = failures.find(({ isFinal }) => !isFinal) ?? failures[0];
  if (failure !== undefined) return failure;
  const waits = outcomes.filter((outcome) => outcome.kind === "wait");
  const [first] = waits;
  if (first === undefined) return goOn;
  return { ...first, afterMs: Math.min(...waits.map(({ afterMs }) => afterMs)) };
}
