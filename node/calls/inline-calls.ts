/**
 * Runs short contract calls inline, on the main thread: passing one to a reader thread costs more than most
 * calls do. Two bounds protect consensus: the gas of each call, and the time of all calls in one turn of the
 * event loop. Calls beyond a bound run in a reader thread, as do calls of a kind that exceeded the gas
 * before.
 */
import { GasBudgetExceeded } from "../evm/frame.ts";
import { SLICE_MS } from "../runtime/scheduler.ts";

/** Maximum gas of an inline call. The most expensive use of it takes about 2 ms. */
export const MAX_INLINE_GAS = 50_000;
/** Maximum gas of each attempt of an inline gas search, on a development chain, where a block may wait. */
export const MAX_INLINE_SEARCH_GAS = 200_000;
/** Maximum number of remembered kinds of long calls; beyond it all are deleted. */
const MAX_LONG_KINDS = 1_000;

/** Admission of inline calls. */
export class InlineCalls {
  readonly #long = new Set<string>();
  readonly #turnMs: number;
  #spentMs = 0;
  #isTurnOpen = false;

  constructor(turnMs: number = SLICE_MS.inlineCalls) {
    this.#turnMs = turnMs;
  }

  /**
   * Runs a call inline. `kind` identifies calls of similar cost. Returns undefined for a call that must run
   * in a reader thread, and throws the errors of the call.
   */
  run<T>(kind: () => string, call: () => T): T | undefined {
    if (this.#spentMs >= this.#turnMs || (this.#long.size > 0 && this.#long.has(kind()))) return undefined;
    this.#openTurn();
    const started = performance.now();
    try {
      return call();
    } catch (error) {
      if (!(error instanceof GasBudgetExceeded)) throw error;
      this.#remember(kind());
      return undefined;
    } finally {
      this.#spentMs += performance.now() - started;
    }
  }

  #openTurn(): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    setImmediate(() => {
      this.#isTurnOpen = false;
      this.#spentMs = 0;
    });
  }

  #remember(kind: string): void {
    if (this.#long.size >= MAX_LONG_KINDS) this.#long.clear();
    this.#long.add(kind);
  }
}
