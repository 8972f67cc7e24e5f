/** The inside of a reader thread: receives calls from the pool and answers them one after the other. */
import type { MessagePort } from "node:worker_threads";
import { type CallGate, useCallGate } from "../runtime/call-gate.ts";
import { type CallError, errorOf } from "./errors.ts";
import { parseJson } from "./json-text.ts";
import type { Method } from "./method.ts";

/** Callbacks of a reader thread. */
export interface ReaderHooks {
  readonly onBug: (error: unknown) => void;
  /** Called when the pool ends the thread. */
  readonly onEnd: () => void;
}

/** Serves methods on the port to the pool: posts `up`, answers requests and ends on null. */
export function serveReader(
  port: MessagePort,
  methods: readonly Method[],
  { onBug, onEnd }: ReaderHooks,
): void {
  const byName = new Map(methods.map((row) => [row.name, row]));
  port.on("message", (request: HandedRequest | null) => {
    if (request === null) {
      port.close();
      return onEnd();
    }
    if (request.gate !== undefined) useCallGate(request.gate);
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
    const { code, message, data, reason } = errorOf(error, onBug);
    return { id, error: { code, message, data, reason } }; // plain, for it is cloned
  }
}

/** A call, sent to a reader thread. */
export interface ReaderRequest {
  readonly id: number;
  readonly name: string;
  readonly params: string;
  /** See `CallContext`. */
  readonly refusesPrograms?: boolean | undefined;
}

/** A call with the gate of the thread's native calls. */
export interface HandedRequest extends ReaderRequest {
  readonly gate?: CallGate;
}

/** The answer of a reader thread: a result as JSON text, or an error. */
export type ReaderAnswer =
  | { readonly id: number; readonly result: string }
  | { readonly id: number; readonly error: CallError };

/** Messages of a reader thread: `up` once it has loaded its code, then its answers. */
export type ReaderReply = "up" | ReaderAnswer;
