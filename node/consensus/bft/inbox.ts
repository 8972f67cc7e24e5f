/** What waits to be handled by the engine: in its order, messages of peers bounded for each of them and in all. */
import { mapKey } from "../../bytes/hex.ts";

/** A message from a peer that nobody has read yet. */
export interface UnreadMessage {
  readonly type: "message";
  readonly from: string;
  readonly bytes: Uint8Array;
}

/** Something that happened here, or a message. */
export type Incoming<T> = { readonly type: "event"; readonly event: T } | UnreadMessage;

/** Unread messages: of one peer, and bytes of all. */
const MAX_MESSAGES_PER_PEER = 1024;
const MAX_BYTES = 64 * 2 ** 20;

/** See the head of this file. */
export class ConsensusInbox<T> {
  #waiting: Incoming<T>[] = [];
  readonly #messages = new Map<string, number>();
  #bytes = 0;
  #isClosed = false;
  #wake: () => void = () => undefined;

  add(event: T): void {
    this.#waiting.push({ type: "event", event });
    this.#wake();
  }

  /** Takes a message in; false, and it is lost, when there is no room. */
  addMessage(peer: Uint8Array, bytes: Uint8Array): boolean {
    const from = mapKey(peer);
    const count = this.#messages.get(from) ?? 0;
    if (count >= MAX_MESSAGES_PER_PEER || this.#bytes + bytes.length > MAX_BYTES) return false;
    this.#messages.set(from, count + 1);
    this.#bytes += bytes.length;
    this.#waiting.push({ type: "message", from, bytes });
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
    this.#messages.clear();
    this.#bytes = 0;
    return this.#isClosed ? [] : taken;
  }

  /** Nothing is handled any more. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
