/** How a step ends. */

/** Go on with the next step; wait for something that is not there yet; or end with a reason that is told. */
export type Outcome =
  | { readonly kind: "continue" }
  | { readonly kind: "wait"; readonly reason: string; readonly message: string; readonly afterMs: number }
  | {
      readonly kind: "fail";
      readonly reason: string;
      readonly message: string;
      /** True when only another spec can help: nothing is tried again before somebody changes something. */
      readonly isFinal: boolean;
    };

/** The next step may begin. */
export const goOn: Outcome = { kind: "continue" };

/** Comes back when something changes, or after `afterMs`. */
export function waitFor(reason: string, message: string, afterMs = 10_000): Outcome {
  return { kind: "wait", reason, message, afterMs };
}

/** Cannot go on before somebody changes something; it is tried again all the same, ever more rarely. */
export function failWith(reason: string, message: string): Outcome {
  return { kind: "fail", reason, message, isFinal: false };
}

/** The same where the API server says that what the spec asks for cannot be. */
export function refuseWith(reason: string, message: string): Outcome {
  return { kind: "fail", reason, message, isFinal: true };
}

/**
 * Of several: a failure before a wait, one that is worth another try before one that is not, and the first to be looked
 * at again of all waits.
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
