/** How a step ends. */

/** Go on with the next step; wait for something that is not there yet; or end with a reason that is told. */
export type Outcome =
  | { readonly kind: "continue" }
  | { readonly kind: "wait"; readonly reason: string; readonly message: string; readonly afterMs: number }
  | { readonly kind: "fail"; readonly reason: string; readonly message: string };

/** The next step may begin. */
export const goOn: Outcome = { kind: "continue" };

/** Comes back when something changes, or after `afterMs`. */
export function waitFor(reason: string, message: string, afterMs = 10_000): Outcome {
  return { kind: "wait", reason, message, afterMs };
}

/** Cannot go on before somebody changes something; it is tried again all the same, ever more rarely. */
export function failWith(reason: string, message: string): Outcome {
  return { kind: "fail", reason, message };
}

/** Of several: a failure before a wait, and the first to be looked at again of all waits. */
export function worstOf(outcomes: readonly Outcome[]): Outcome {
  const failure = outcomes.find(({ kind }) => kind === "fail");
  if (failure !== undefined) return failure;
  const waits = outcomes.filter((outcome) => outcome.kind === "wait");
  const [first] = waits;
  if (first === undefined) return goOn;
  return { ...first, afterMs: Math.min(...waits.map(({ afterMs }) => afterMs)) };
}
