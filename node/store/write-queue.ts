/** The order of writes to one store. */
import { mapKey } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import type { BatchChanges } from "./changes.ts";
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
  lookup(key: Uint8Array): { readonly found: boolean; readonly value: Uint8Array | undefined } {
    if (this.#inFlight.length === 0) return NOT_IN_FLIGHT;
    const name = mapKey(key);
    for (let i = this.#inFlight.length - 1; i >= 0; i--) {
      const changes = this.#inFlight[i]?.byName();
      const value = changes?.get(name);
      if (value !== undefined || changes?.has(name) === true) return { found: true, value };
    }
    return NOT_IN_FLIGHT;
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

const NOT_IN_FLIGHT = { found: false, value: undefined } as const;

function failedWrite(cause: unknown): StoreError {
  return new StoreError("failed", `write failed: ${messageOf(cause)}`, {
    cause,
  });
}
