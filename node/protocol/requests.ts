/**
 * Requests to one peer. The protocol has no request ids: an answer belongs to the open request of its kind,
 * so there is one of each kind at a time. Late and unsolicited answers are not decoded. Late ones are
 * distinguished, because they are no fault of the peer.
 */
import { ProtocolError } from "./error.ts";
import { type MessageRow, messages } from "./messages.ts";
import type { SyncMetrics } from "./sync-metrics.ts";

/** A kind of request: its message and that of the answer. */
export interface RequestKind<Q, A extends readonly unknown[]> {
  readonly ask: MessageRow<Q>;
  readonly answer: MessageRow<A>;
}

/** Request of headers by number or hash. */
export const headersRequest = { ask: messages.headersRequest, answer: messages.headers } as const;
/** Request of bodies by block hash. */
export const bodiesRequest = { ask: messages.bodiesRequest, answer: messages.bodies } as const;

/** Request of blob sidecars by position and hash. */
export const sidecarsRequest = { ask: messages.sidecarsRequest, answer: messages.sidecars } as const;

interface PendingRequest {
  readonly settle: (payload: Uint8Array) => void;
  readonly fail: (error: Error) => void;
  readonly done: Promise<unknown>;
}

/** Sends a request. Resolves with false when the peer has left. */
export type SendRequest = (code: number, payload: Uint8Array) => Promise<boolean>;

/** Open requests to one peer. */
export class PeerRequests {
  readonly #send: SendRequest;
  readonly #timeoutMs: number;
  readonly #metrics: SyncMetrics["requests"];
  readonly #open = new Map<number, PendingRequest>();
  /** Requests that were abandoned and may still be answered, by the code of the answer. */
  readonly #overdue = new Map<number, number>();
  #closed: Error | undefined;

  constructor(send: SendRequest, timeoutMs: number, metrics: SyncMetrics["requests"]) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
    this.#metrics = metrics;
  }

  /**
   * Sends a request and waits for its answer. Rejects with `ProtocolError` `timeout`, `bad-message`, or the
   * reason for which the peer has left.
   */
  async request<Q, A extends readonly unknown[]>(
    { ask, answer }: RequestKind<Q, A>,
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
      this.#overdue.set(answer.code, (this.#overdue.get(answer.code) ?? 0) + 1);
      reject(new ProtocolError("timeout", `no answer to ${ask.name} within ${timeoutMs} ms`));
    }, timeoutMs);
    const settle = (payload: Uint8Array): void => resolve(answer.decode(payload));
    const pending = { settle, fail: reject, done: promise.then(ignore, ignore) };
    this.#open.set(answer.code, pending);
    try {
      if (!(await this.#send(ask.code, ask.encode(question)))) throw peerGone();
      const items = await promise;
      metrics?.time.observe(performance.now() - asked);
      metrics?.items.add(items.length);
      return items;
    } finally {
      clearTimeout(timer);
      // An answer that came before the request had left may have made room for the next request.
      if (this.#open.get(answer.code) === pending) this.#open.delete(answer.code);
    }
  }

  /**
   * Delivers an answer to its request. Returns false when there was none. Throws `ProtocolError` for an
   * unreadable answer.
   */
  deliver(code: number, payload: Uint8Array): boolean {
    const open = this.#open.get(code);
    if (open === undefined) {
      this.#metrics.get(code)?.late.add(1);
      const overdue = this.#overdue.get(code) ?? 0;
      if (overdue > 0) this.#overdue.set(code, overdue - 1);
      return overdue > 0;
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

  /** Rejects all open and future requests with `error`. */
  close(error: Error = peerGone()): void {
    this.#closed ??= error;
    for (const { fail } of this.#open.values()) fail(this.#closed);
  }
}

function ignore(): void {
  // The requester gets the result; the next request of this kind only waits for the end.
}

function peerGone(): ProtocolError {
  return new ProtocolError("gone", "the peer has left");
}
