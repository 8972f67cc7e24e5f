/** A time limit on work that may be given up from outside as well. */

/** A signal that is aborted with `outer`'s reason, or with `late()` when the time is over. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Ends the time limit; the outer signal still counts. */
  met(): void;
}

/** Sets it. Disposing it ends both. */
export function openDeadline(
  milliseconds: number,
  outer: AbortSignal | undefined,
  late: () => Error,
): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(late()), milliseconds);
  const abort = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) abort();
  outer?.addEventListener("abort", abort, { once: true });
  const met = (): void => clearTimeout(timer);
  return {
    signal: controller.signal,
    met,
    [Symbol.dispose]() {
      met();
      outer?.removeEventListener("abort", abort);
    },
  };
}
