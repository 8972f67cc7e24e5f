/** A time limit combined with an outer abort signal. */

/** A signal that is aborted with the reason of `outer`, or with `late()` at the time limit. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Cancels the time limit; the outer signal still applies. */
  met(): void;
}

/** Starts the time limit. Disposing it detaches both. */
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
