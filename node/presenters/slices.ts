/**
 * Writes long results in slices of a few milliseconds, so that none of them delays a block. All long work for callers
 * together has one slice of a turn of the event loop, and clients have equal shares of the turns. What is written counts
 * in the memory of its caller's long answers, so that it is refused before it fills the heap.
 */
import { AnswerMemory } from "../jsonrpc/answer-memory.ts";
import { failure } from "../jsonrpc/errors.ts";
import type { CallOrigin } from "../jsonrpc/method.ts";
import { type Pause, Slice } from "../runtime/scheduler.ts";
import { callerTurns } from "../runtime/turn-queue.ts";

/** The origin of a long result. One that several callers share has no signal. */
export type ResultOrigin = Partial<CallOrigin>;

/**
 * Creates the pause of one piece of long work for a caller: undefined while its slice is not over, then it waits for its
 * turn. Rejects with `RpcError` when the caller has gone.
 */
export function callerPause({ signal, caller = {} }: ResultOrigin): Pause {
  const slice = new Slice("answer"); // without a caller the work is a client of its own
  return () =>
    slice.isOver
      ? callerTurns.next(caller).then(() => {
          if (signal?.aborted === true) throw failure("request cancelled");
          slice.restart();
        })
      : undefined;
}

/**
 * Writes `count` parts in order and composes them. It looks at the clock after each part and waits for a turn when the
 * slice is over; the values that `write` reads must not change meanwhile. Rejects with `RpcError` when the caller, if
 * one is given, has gone, when the result is too long, or when there is no memory for it.
 */
export function writeInSlices<T>(
  count: number,
  write: (index: number) => string,
  compose: (parts: readonly string[]) => T,
  origin: ResultOrigin = {},
): T | Promise<T> {
  const parts: string[] = [];
  const pause = callerPause(origin);
  while (parts.length < count) {
    parts.push(write(parts.length));
    const due = parts.length < count ? pause() : undefined;
    if (due !== undefined) return writeOn(parts, count, { write, compose, origin, pause, due });
  }
  return compose(parts);
}

interface Writing<T> {
  readonly write: (index: number) => string;
  readonly compose: (parts: readonly string[]) => T;
  readonly origin: ResultOrigin;
  readonly pause: Pause;
  /** Resolves when it is the result's turn. */
  readonly due: Promise<void>;
}

async function writeOn<T>(
  parts: string[],
  count: number,
  { write, compose, origin: { room }, pause, due }: Writing<T>,
): Promise<T> {
  using memory = room && new AnswerMemory(room);
  due.catch(() => undefined); // observed below, unless there is no memory
  for (const part of parts) memory?.count(part);
  await due;
  while (parts.length < count) {
    const part = write(parts.length);
    memory?.count(part);
    parts.push(part);
    const next = parts.length < count ? pause() : undefined;
    if (next !== undefined) await next;
  }
  return compose(parts);
}
