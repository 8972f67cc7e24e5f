/** The inside of a reader thread: takes calls from the pool, answers them one after the other. */
import type { MessagePort } from "node:worker_threads";
import { errorJson } from "./errors.ts";
import { parseJson } from "./json-text.ts";
import type { Method } from "./method.ts";
import type { ReaderReply, ReaderRequest } from "./reader-pool.ts";

/** Serves these methods on the port that leads to the pool. `onBug` is told of defects. */
export function serveReader(
  port: MessagePort,
  methods: readonly Method[],
  onBug: (error: unknown) => void,
): void {
  const byName = new Map(methods.map((row) => [row.name, row]));
  port.on("message", (request: ReaderRequest) => {
    void answer(byName.get(request.name), request, onBug).then((reply) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      port.postMessage(reply);
    });
  });
}

const NEVER = new AbortController().signal;

async function answer(
  row: Method | undefined,
  { id, name, params }: ReaderRequest,
  onBug: (error: unknown) => void,
): Promise<ReaderReply> {
  try {
    if (row === undefined) throw new Error(`${name} is not served by readers`);
    const json = params === "" ? undefined : parseJson(params);
    return { id, result: await row.invoke(json, { signal: NEVER, modules: [], document: () => "" }) };
  } catch (error) {
    return { id, error: errorJson(error, onBug) };
  }
}
