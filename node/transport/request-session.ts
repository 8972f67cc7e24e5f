/** The session of HTTP, which has no notifications. */
import type { RpcSession } from "../jsonrpc/dispatch.ts";

/**
 * The session of an HTTP connection or request, without notifications. Its signal is created on first use.
 */
export class RequestSession implements RpcSession {
  readonly subscriptions = undefined;
  #controller: AbortController | undefined;
  #isOver = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Aborts the calls under way: the client has gone. */
  end(): void {
    this.#isOver = true;
    this.#controller?.abort();
  }
}
