/** The inside of a reader thread: takes calls from the pool, answers them one after the other. */
import type { MessagePort } from "node:worker_threads";
import { errorJson, errorOf } from "./errors.ts";
import { parseJson } from "./json-text.ts";
import type { Method } from "./method.ts";
import type { ReaderAnswer, ReaderReply, ReaderRequest } from "./reader-messages.ts";

/** How a thread ends, and who is told of its defects. */
export interface ReaderHooks {
  readonly onBug: (error: unknown) => void;
  /** The pool wants no more of it. */
  readonly onEnd: () => void;
}

/** Serves these methods on the port that leads to the pool: says that it does, takes requests, and null to end. */
export function serveReader(
  port: MessagePort,
  methods: readonly Method[],
  { onBug, onEnd }: ReaderHooks,
): void {
  const byName = new Map(methods.map((row) => [row.name, row]));
  port.on("message", (request: ReaderRequest | null) => {
    if (request === null) {
      port.close();
      return onEnd();
    }
    void answer(byName.get(request.name), request, onBug).then((reply) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      port.postMessage(reply);
    });
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  port.postMessage("up" satisfies ReaderReply);
}

const NEVER = new AbortController().signal;

async function answer(
  row: Method | undefined,
  { id, name, params, refusesPrograms }: ReaderRequest,
  onBug: (error: unknown) => void,
): Promise<ReaderAnswer> {
  try {
    if (row === undefined) throw new Error(`${name} is not served by readers`);
    const json = params === "" ? undefined : parseJson(params);
    const context = { signal: NEVER, modules: [], document: () => "", refusesPrograms };
    return { id, result: await row.invoke(json, context) };
  } catch (error) {
    const answered = errorOf(error, onBug);
    return { id, error: errorJson(answered), reason: answered.reason };
  }
}
