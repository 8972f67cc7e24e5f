/**
 * Messages of others on their way through this node. All validators are connected to each other as a rule, so whoever
 * writes a message sends it to everybody, and a block is agreed on before anybody has to pass one on: they wait for a
 * moment and go only where the agreement still needs them. If all passed everything on at once, as the Go node does,
 * each validator would have to read every message once from every other. `post.ts` does so where many are missing.
 */
import type { BlockMessage } from "./signed-message.ts";

/** A message waits at least as long, at most twice: enough for dozens on a slow machine, and a round takes ten seconds. */
export const RELAY_MS = 1000;

/** See the head of this file. */
export class Relay {
  readonly #pass: (messages: readonly BlockMessage[]) => void;
  #due: readonly BlockMessage[] = [];
  #waiting: BlockMessage[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `pass` is given messages that have waited. */
  constructor(pass: (messages: readonly BlockMessage[]) => void) {
    this.#pass = pass;
  }

  add(message: BlockMessage): void {
    this.#waiting.push(message);
    this.#timer ??= setTimeout(() => this.#go(), RELAY_MS);
  }

  /** Lets go of everything: another height begins, and what was said of the one before helps nobody. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = [];
    this.#waiting = [];
  }

  #go(): void {
    const due = this.#due;
    this.#due = this.#waiting;
    this.#waiting = [];
    this.#timer = this.#due.length > 0 ? setTimeout(() => this.#go(), RELAY_MS) : undefined;
    if (due.length > 0) this.#pass(due);
  }
}
