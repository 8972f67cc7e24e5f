/**
 * Queue of the engine: local events and messages of peers in order of arrival. Messages are bounded per peer
 * in number and in all in bytes.
 */
import type { Address } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";

/** A message of a peer that has not been decoded. */
export interface UnreadMessage {
  readonly type: "message";
  readonly from: string;
  readonly bytes: Uint8Array;
}

/** A local event or a message of a peer. */
export type Incoming<T> = { readonly type: "event"; readonly event: T } | UnreadMessage;

/** Bounds of the queue: messages of one peer, bytes of all messages. */
const MAX_MESSAGES_PER_PEER = 1024;
const MAX_BYTES = 64 * 2 ** 20;

/** Bounds of the messages that are held for a node that does not sign yet. */
const MAX_HELD = 1024;
const MAX_HELD_BYTES = 16 * 2 ** 20;

/** The newest messages of peers, for a node that will sign later. */
export class HeldMessages {
  readonly #messages: UnreadMessage[] = [];
  #bytes = 0;

  /** Adds a message. The oldest ones are dropped when a bound is reached. */
  add(message: UnreadMessage): void {
    this.#messages.push(message);
    this.#bytes += message.bytes.length;
    while (this.#messages.length > MAX_HELD || this.#bytes > MAX_HELD_BYTES)
      this.#bytes -= this.#messages.shift()?.bytes.length ?? 0;
  }

  /** Returns the messages in order of arrival, and forgets them. */
  take(): readonly UnreadMessage[] {
    this.#bytes = 0;
    return this.#messages.splice(0);
  }
}

/** Holds events and messages until the engine takes them. */
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

  /** Adds a message. Returns false when a bound is reached; the message is dropped then. */
  addMessage(peer: Address, bytes: Uint8Array): boolean {
    const from = mapKey(peer);
    const count = this.#messages.get(from) ?? 0;
    if (count >= MAX_MESSAGES_PER_PEER || this.#bytes + bytes.length > MAX_BYTES) return false;
    this.#messages.set(from, count + 1);
    this.#bytes += bytes.length;
    this.#waiting.push({ type: "message", from, bytes });
    this.#wake();
    return true;
  }

  /**
   * Returns everything received so far and waits for something to arrive. Returns an empty list once the
   * inbox is closed.
   */
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

  /** Ends the current and every later `take` with an empty list. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
