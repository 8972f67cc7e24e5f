/**
 * Questions to one peer. The protocol has no request ids: an answer belongs to the question of its kind that is
 * open, so there is one at a time of each kind. What comes late or unasked is not even decoded.
 */
import { ProtocolError } from "./error.ts";
import { type MessageRow, messages } from "./messages.ts";
import type { SyncMetrics } from "./sync-metrics.ts";

/** What can be asked: the message that asks and the one that answers. */
export interface Question<Q, A extends readonly unknown[]> {
  readonly ask: MessageRow<Q>;
  readonly answer: MessageRow<A>;
}

/** Headers by number or hash. */
export const headersQuestion = { ask: messages.headersRequest, answer: messages.headers } as const;
/** Bodies by block hash. */
export const bodiesQuestion = { ask: messages.bodiesRequest, answer: messages.bodies } as const;

interface Open {
  readonly settle: (payload: Uint8Array) => void;
  readonly fail: (error: Error) => void;
  readonly done: Promise<unknown>;
}

/** How a request leaves; false when the peer is gone. */
export type SendRequest = (code: number, payload: Uint8Array) => Promise<boolean>;

/** The open questions to one peer. */
export class Requests {
  readonly #send: SendRequest;
  readonly #timeoutMs: number;
  readonly #metrics: SyncMetrics["asked"];
  readonly #open = new Map<number, Open>();
  #closed: Error | undefined;

  constructor(send: SendRequest, timeoutMs: number, metrics: SyncMetrics["asked"]) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
    this.#metrics = metrics;
  }

  /** Asks and waits for the answer, `timeoutMs` at most. Rejects with `ProtocolError`: `timeout`, `bad-message` or why the peer is gone. */
  async request<Q, A extends readonly unknown[]>(
    { ask, answer }: Question<Q, A>,
    question: Q,
    timeoutMs = this.#timeoutMs,
  ): Promise<A> {
    for (let open = this.#open.get(answer.code); open; open = this.#open.get(answer.code)) {
      await open.done;
    }
    if (this.#closed) throw this.#closed;
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const metrics = this.#metrics.get(answer.code);
    const asked = performance.now();
    const timer = setTimeout(() => {
      metrics?.timeouts.add(1);
      reject(new ProtocolError("timeout", `no answer to ${ask.name} within ${timeoutMs} ms`));
    }, timeoutMs);
    const settle = (payload: Uint8Array): void => resolve(answer.decode(payload));
    this.#open.set(answer.code, { settle, fail: reject, done: promise.then(ignore, ignore) });
    try {
      if (!(await this.#send(ask.code, ask.encode(question)))) throw gone();
      const items = await promise;
      metrics?.time.observe(performance.now() - asked);
      metrics?.items.add(items.length);
      return items;
    } finally {
      clearTimeout(timer);
      this.#open.delete(answer.code);
    }
  }

  /** Gives an answer to who waits for it; false when nobody does. Throws `ProtocolError` when it cannot be read. */
  deliver(code: number, payload: Uint8Array): boolean {
    const open = this.#open.get(code);
    if (open === undefined) {
      this.#metrics.get(code)?.late.add(1);
      return false;
    }
    this.#open.delete(code);
    try {
      open.settle(payload);
    } catch (error) {
      open.fail(error as Error); // decode throws errors only
      throw error;
    }
    return true;
  }

  /** Nothing more is answered: all open questions fail with `error`. */
  close(error: Error = gone()): void {
    this.#closed ??= error;
    for (const { fail } of this.#open.values()) fail(this.#closed);
  }
}

function ignore(): void {
  // Who asked meets the answer or the error; who waits for its turn does not care which.
}

function gone(): ProtocolError {
  return new ProtocolError("gone", "the peer is gone");
}
