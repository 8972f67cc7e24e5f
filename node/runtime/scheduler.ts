/**
 * The scheduler of the event loop: one table of how long each kind of work may hold the main thread, and the ways in
 * which long work yields. Work is cut into slices; between two slices everything else runs.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds for which each kind of work holds the main thread before it yields. */
export const SLICE_MS = {
  /** Executing, checking and making blocks, and the signatures of many transactions. */
  block: 5,
  /** Hashing, writing, rebuilding and reading state. */
  state: 4,
  /** One long answer. */
  answer: 4,
  /** One batch of calls. */
  batch: 3,
  /** The same while other long work for callers waits. */
  contendedBatch: 1,
  /** Notifications of subscribers. */
  notifications: 4,
  /** All messages of HTTP and WebSocket connections in one turn of the event loop. */
  messages: 8,
  /** All inline calls of one turn of the event loop. */
  inlineCalls: 3,
  /** Blocks that an inline search of recent logs reads; the next search reads on. */
  recentLogs: 1,
  /** All messages of all peers in one turn of the event loop. */
  peers: 3,
  /** Data derived from the chain, which also rests between slices. */
  follower: 2,
} as const;

/** A kind of work. */
export type Work = keyof typeof SLICE_MS;

/** The time that one piece of work has before it must yield. */
export class Slice {
  readonly #work: Work;
  #end: number;

  constructor(work: Work) {
    this.#work = work;
    this.#end = performance.now() + SLICE_MS[work];
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Begins the next slice. */
  restart(): void {
    this.#end = performance.now() + SLICE_MS[this.#work];
  }

  /** Resolves in a later turn of the event loop when the slice is over; undefined when it is not. */
  yieldIfDue(): Promise<void> | undefined {
    return this.isOver ? nextTurn().then(() => this.restart()) : undefined;
  }
}

/** Runs all steps at once. */
export function runAtOnce<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs steps in slices of the state's length. Throws the signal's reason when it is aborted between two slices. */
export async function runInSlices<Result>(
  steps: Generator<unknown, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const slice = new Slice("state");
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const due = slice.yieldIfDue();
    if (due === undefined) continue;
    await due;
    signal?.throwIfAborted();
  }
}

/** Yields when the caller's slice is over; undefined when it is not. */
export type Pause = () => Promise<void> | undefined;

/**
 * Creates the pause of one chain of block work. A slice begins with the first call in a turn of the event loop: work
 * that starts in a turn of its own, such as checking a small block, does not wait.
 */
export function createPause(): Pause {
  let slice: Slice | undefined;
  const forget = (): void => {
    slice = undefined;
  };
  return () => {
    if (slice === undefined) {
      slice = new Slice("block");
      setImmediate(forget);
    }
    return slice.isOver ? nextTurn() : undefined;
  };
}
