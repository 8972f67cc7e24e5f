/** What waits to be handled by the engine: in its order, letters of peers bounded for each of them and in all. */
import { mapKey } from "../../bytes/hex.ts";

/** A letter from a peer that nobody has read yet. */
export interface IncomingLetter {
  readonly type: "letter";
  readonly from: string;
  readonly payload: Uint8Array;
}

/** Something that happened here, or a letter. */
export type Incoming<T> = { readonly type: "event"; readonly event: T } | IncomingLetter;

/** Unread letters: of one peer, and bytes of all. */
const MOST_LETTERS = 1024;
const MOST_BYTES = 64 * 2 ** 20;

/** See the head of this file. */
export class Intake<T> {
  #waiting: Incoming<T>[] = [];
  readonly #letters = new Map<string, number>();
  #bytes = 0;
  #isClosed = false;
  #wake: () => void = () => undefined;

  add(event: T): void {
    this.#waiting.push({ type: "event", event });
    this.#wake();
  }

  /** Takes a letter in; false, and it is lost, when there is no room. */
  addLetter(peer: Uint8Array, payload: Uint8Array): boolean {
    const from = mapKey(peer);
    const count = this.#letters.get(from) ?? 0;
    if (count >= MOST_LETTERS || this.#bytes + payload.length > MOST_BYTES) return false;
    this.#letters.set(from, count + 1);
    this.#bytes += payload.length;
    this.#waiting.push({ type: "letter", from, payload });
    this.#wake();
    return true;
  }

  /** Everything that has come so far; waits for something to come. Nothing once it is closed. */
  async take(): Promise<readonly Incoming<T>[]> {
    if (this.#waiting.length === 0 && !this.#isClosed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    const taken = this.#waiting;
    this.#waiting = [];
    this.#letters.clear();
    this.#bytes = 0;
    return this.#isClosed ? [] : taken;
  }

  /** Nothing is handled any more. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
