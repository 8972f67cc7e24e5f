import type { Log } from "../../observe/log.ts";
import { compareViews, type View } from "./view.ts";

/** The one timer of the agreement; it tells the log of rounds after the first, once each. */
export class RoundTimer {
  readonly #log: Log;
  readonly #onTimeout: (view: View) => void;
  #timer: NodeJS.Timeout | undefined;
  #told: View = { sequence: 0, round: 0 };

  constructor(log: Log, onTimeout: (view: View) => void) {
    this.#log = log;
    this.#onTimeout = onTimeout;
  }

  /** Begins anew for a view; `isOurs`: this node has a say in it. */
  restart(view: View, ms: number, isOurs: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onTimeout(view), ms);
    if (!isOurs || view.round === 0 || compareViews(view, this.#told) === 0) return;
    this.#told = view;
    this.#log.warn({ number: view.sequence, round: view.round }, "round change");
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
