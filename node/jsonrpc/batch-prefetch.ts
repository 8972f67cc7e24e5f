/**
 * Large batches: methods that are cheaper for many calls at once prepare them before the first one is
 * executed.
 */
import type { Pause } from "../runtime/scheduler.ts";
import type { MessageList } from "./envelope.ts";
import type { Prefetch } from "./method.ts";
import type { MethodView } from "./registry.ts";

/** Calls of one method from which on a batch is prepared. */
const LARGE_BATCH = 8;

/** The preparation of one batch. */
export interface BatchPrefetch {
  /** Resolves when the preparation is complete; `pause` is that of the batch. Never rejects. */
  prepare(pause: Pause): Promise<undefined>;
  /** Releases prepared data. Call it when the batch has ended, even with an error. */
  forget(): void;
}

/** Returns the preparation that the methods of a batch offer; undefined when there is none. */
export function batchPrefetch(messages: MessageList, view: MethodView): BatchPrefetch | undefined {
  if (messages.length < LARGE_BATCH || messages.isDense === true) return undefined;
  const calls = new Map<Prefetch, unknown[]>();
  for (const { method, params } of messages) {
    const work = view.find(method)?.prefetch;
    if (work === undefined) continue;
    const list = calls.get(work);
    if (list === undefined) calls.set(work, [params]);
    else list.push(params);
  }
  const large = [...calls].filter(([, list]) => list.length >= LARGE_BATCH);
  if (large.length === 0) return undefined;
  return {
    prepare: async (pause) => {
      await Promise.all(large.map(([work, list]) => work.prepare(list, pause)));
      return undefined;
    },
    forget: () => {
      for (const [work, list] of large) work.forget(list);
    },
  };
}
