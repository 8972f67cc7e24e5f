/**
 * Calls of contracts that need little gas are run at once, next to consensus: handing one to a reader thread costs
 * more than most of them do. Two bounds keep them from holding up the chain: the gas of each, and the time of all in
 * one turn of the event loop. What passes a bound goes to a reader, and so does what is known to need more.
 */
import { GasAtHandSpent } from "../evm/frame.ts";
import { SLICE_MS } from "../runtime/scheduler.ts";

/** Gas that a call may use here: the dearest way to spend it takes about 2 ms. */
export const BRIEF_GAS = 50_000;
/** Kinds of calls that needed more, forgotten all together when there are too many. */
const KNOWN_LONG = 1_000;

/** See the file's header. */
export class BriefCalls {
  readonly #long = new Set<string>();
  readonly #turnMs: number;
  #spentMs = 0;
  #isTurnOpen = false;

  constructor(turnMs: number = SLICE_MS.inlineCalls) {
    this.#turnMs = turnMs;
  }

  /** Runs a call, whose `kind` tells what it does; undefined when it is a reader's work. Throws what it throws. */
  run<T>(kind: () => string, call: () => T): T | undefined {
    if (this.#spentMs >= this.#turnMs || (this.#long.size > 0 && this.#long.has(kind()))) return undefined;
    this.#openTurn();
    const started = performance.now();
    try {
      return call();
    } catch (error) {
      if (!(error instanceof GasAtHandSpent)) throw error;
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
    if (this.#long.size >= KNOWN_LONG) this.#long.clear();
    this.#long.add(kind);
  }
}
