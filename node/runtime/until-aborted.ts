/** Waiting that a signal ends. */

/** Resolves when the signal is aborted; never rejects. The signal holds a listener until then. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Resolves when `work` does or the signal is aborted, whichever is first, and rejects as `work`. Leaves no listener, so
 * it serves signals that live as long as the process.
 */
export async function untilDoneOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  const end = (): void => aborted.resolve();
  signal.addEventListener("abort", end);
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
