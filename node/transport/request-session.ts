import type { Session } from "../jsonrpc/dispatch.ts";

/** The session of an HTTP connection or request: nothing can be pushed. Its signal is made when it is asked for. */
export class RequestSession implements Session {
  readonly subscriptions = undefined;
  #controller: AbortController | undefined;
  #isOver = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Nobody waits for answers any more. */
  end(): void {
    this.#isOver = true;
    this.#controller?.abort();
  }
}
