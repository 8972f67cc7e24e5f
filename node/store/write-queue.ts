/** The order of writes to one store. */
import { messageOf } from "../bytes/message-of.ts";
import { type BatchChanges, type FoundChange, NO_CHANGE } from "./changes.ts";
import { StoreError } from "./error.ts";

/**
 * Runs writes one after the other, keeps rows in flight readable, and refuses every write after a failed one.
 */
export class WriteQueue {
  readonly #inFlight: BatchChanges[] = [];
  #tail: Promise<void> = Promise.resolve();
  #failure: unknown;

  /** Resolves when every write so far has ended; never rejects. */
  get idle(): Promise<void> {
    return this.#tail.catch(() => undefined);
  }

  /** The newest change of a row under way: `found` false means that the disk knows better. */
  lookup(key: Uint8Array): FoundChange {
    for (let i = this.#inFlight.length - 1; i >= 0; i--) {
      const change = (this.#inFlight[i] as BatchChanges).find(key);
      if (change.found) return change;
    }
    return NO_CHANGE;
  }

  /** Runs `write` after all earlier ones; `changes` are readable until it has ended. */
  run(changes: BatchChanges, write: () => Promise<void>): Promise<void> {
    this.#inFlight.push(changes);
    const before = this.#tail.catch(() => undefined);
    const done = before.then(() => this.#attempt(changes, write));
    this.#tail = done;
    return done;
  }

  async #attempt(changes: BatchChanges, write: () => Promise<void>): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      await write();
    } catch (error) {
      this.#failure ??= error instanceof StoreError ? error : failedWrite(error);
      throw this.#failure;
    } finally {
      this.#inFlight.splice(this.#inFlight.indexOf(changes), 1);
    }
  }
}

/** The failure of a write. */
export function failedWrite(cause: unknown): StoreError {
  return new StoreError("failed", `write failed: ${messageOf(cause)}`, {
    cause,
  });
}
