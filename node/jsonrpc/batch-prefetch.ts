/** Large batches: what their methods can do for many calls at once is done before the first of them. */
import type { Message } from "./envelope.ts";
import type { WorkAhead } from "./method.ts";
import type { MethodView } from "./registry.ts";

/** From so many calls on. */
const LARGE_BATCH = 8;

/** Work for a batch. */
export interface BatchAhead {
  /** Resolves when it is done. Never rejects. */
  prepare(): Promise<undefined>;
  /** To be called when the batch has ended, however it did. */
  forget(): void;
}

/** The work that a batch's methods have for all of its calls; undefined when there is none. */
export function batchAhead(messages: readonly Message[], view: MethodView): BatchAhead | undefined {
  if (messages.length < LARGE_BATCH) return undefined;
  const calls = new Map<WorkAhead, unknown[]>();
  for (const { method, params } of messages) {
    const work = view.find(method)?.ahead;
    if (work === undefined) continue;
    const list = calls.get(work);
    if (list === undefined) calls.set(work, [params]);
    else list.push(params);
  }
  const large = [...calls].filter(([, list]) => list.length >= LARGE_BATCH);
  if (large.length === 0) return undefined;
  return {
    prepare: async () => {
      await Promise.all(large.map(([work, list]) => work.prepare(list)));
      return undefined;
    },
    forget: () => {
      for (const [work, list] of large) work.forget(list);
    },
  };
}
