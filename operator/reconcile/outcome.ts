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
