/**
 * Writes long results in slices of a few milliseconds, so that none of them delays a block. All long work for callers
 * together has one slice of a turn of the event loop, and clients have equal shares of the turns.
 */
import { failure } from "../jsonrpc/errors.ts";
import type { CallOrigin } from "../jsonrpc/method.ts";
import { Slice } from "../runtime/scheduler.ts";
import { callerTurns } from "../runtime/turn-queue.ts";

/**
 * Writes `count` parts in order and composes them. It looks at the clock after each part and waits for a turn when the
 * slice is over; the values that `write` reads must not change meanwhile. Rejects with `RpcError` when the caller, if
 * one is given, has gone.
 */
export function writeInSlices<T>(
  count: number,
  write: (index: number) => string,
  compose: (parts: readonly string[]) => T,
  origin?: CallOrigin,
): T | Promise<T> {
  const parts: string[] = [];
  const slice = new Slice("answer");
  while (parts.length < count) {
    parts.push(write(parts.length));
    if (slice.isOver && parts.length < count) return writeOn(parts, count, { write, origin }).then(compose);
  }
  return compose(parts);
}

async function writeOn(
  parts: string[],
  count: number,
  { write, origin }: { readonly write: (index: number) => string; readonly origin: CallOrigin | undefined },
): Promise<readonly string[]> {
  const client = origin?.caller ?? {}; // without a caller the result is a client of its own
  while (parts.length < count) {
    await callerTurns.next(client);
    if (origin?.signal.aborted === true) throw failure("request cancelled");
    const slice = new Slice("answer");
    do parts.push(write(parts.length));
    while (parts.length < count && !slice.isOver);
  }
  return parts;
}
