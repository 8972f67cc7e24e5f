/**
 * One WebSocket or IPC connection above its framing: messages in, answers and notifications out. Each call is
 * answered when it is ready, so answers may overtake each other. What waits is bounded: a peer with too many calls
 * under way or too much unread is not read from; one that lets notifications pile up is closed.
 */

import { type Endpoint, nullError } from "../jsonrpc/dispatch.ts";
import { rpcCode } from "../jsonrpc/errors.ts";
import { jsonFault } from "../jsonrpc/json-scanner.ts";
import type { Holder } from "../jsonrpc/memory-budget.ts";
import { type SubscriptionLimit, Subscriptions } from "../jsonrpc/subscriptions.ts";

/** What a session needs of its transport. */
export interface Wire {
  /** Queues one message. */
  write(text: string): void;
  /** Bytes that the peer has not taken yet. */
  unsent(): number;
  pause(): void;
  resume(): void;
  /** Ends the connection after what is queued. */
  end(): void;
  /** Ends the connection at once. */
  destroy(): void;
}

/** Budgets of one connection. */
export interface StreamLimits {
  /** Calls under way. */
  readonly maxCalls: number;
  /** Above this many unsent bytes nothing more is read from the peer. */
  readonly maxUnsent: number;
  /** Above this many unsent bytes a notification closes the connection. */
  readonly maxNotified: number;
  /** A peer that takes nothing for this long while it is not read from is closed. */
  readonly writeMs: number;
}

/** Budgets that a well-behaved client never meets. */
export const streamDefaults: StreamLimits = {
  maxCalls: 256,
  maxUnsent: 4 * 1024 * 1024,
  maxNotified: 16 * 1024 * 1024,
  writeMs: 10_000,
};

/** Fewer unsent bytes are not worth counting. */
const COUNTED_UNSENT = 64 * 1024;

/** See the file's header. */
export class StreamSession {
  readonly #endpoint: Endpoint;
  readonly #wire: Wire;
  readonly #limits: StreamLimits;
  readonly #subscriptions: Subscriptions;
  readonly #closing = new AbortController();
  #calls = 0;
  #paused = false;
  #writeDeadline: NodeJS.Timeout | undefined;
  #isCounted = false;
  readonly #holder: Holder = { dropped: () => this.#wire.destroy() };

  constructor(
    endpoint: Endpoint,
    limit: SubscriptionLimit,
    wire: Wire,
    limits: StreamLimits = streamDefaults,
  ) {
    this.#endpoint = endpoint;
    this.#wire = wire;
    this.#limits = limits;
    this.#subscriptions = new Subscriptions(endpoint.view, limit, {
      send: (text) => this.#push(text),
      overflow: () => wire.destroy(),
    });
  }

  /** Answers one message; what is not JSON is named, and ends the connection. */
  receive(text: string): void {
    if (!this.take(text)) this.fault(jsonFault(text) ?? "unexpected EOF");
  }

  /** Answers one message; false when it is not JSON. */
  take(text: string): boolean {
    if (this.#closing.signal.aborted) return true;
    const turn = this.#subscriptions.turn();
    const answer = this.#endpoint.answer(text, { signal: this.#closing.signal, subscriptions: turn });
    if (answer === undefined) return false;
    if (typeof answer === "string") {
      this.#write(answer);
      turn.release();
    } else {
      this.#calls++;
      this.#balance();
      void answer.then((late) => {
        this.#calls--;
        if (this.#closing.signal.aborted) return;
        this.#write(late);
        turn.release();
        this.#balance();
      });
    }
    return true;
  }

  /** The peer sent what is not JSON: says so and ends the connection. */
  fault(message: string): void {
    this.#write(nullError(rpcCode.parse, message));
    this.#wire.end();
  }

  /** The peer has taken what was queued. */
  drained(): void {
    this.#balance();
  }

  /** The connection is gone. */
  close(): void {
    clearTimeout(this.#writeDeadline);
    this.#closing.abort();
    this.#count(0);
    this.#subscriptions.close();
  }

  #push(text: string): void {
    if (this.#closing.signal.aborted) return;
    if (this.#wire.unsent() + text.length > this.#limits.maxNotified) {
      this.#wire.destroy();
      return;
    }
    this.#wire.write(text);
    this.#count(this.#wire.unsent());
  }

  /** Tells the budget of all peers what this one has not taken. */
  #count(unsent: number): void {
    const isCounted = unsent > COUNTED_UNSENT;
    if (!isCounted && !this.#isCounted) return;
    this.#isCounted = isCounted;
    this.#endpoint.unsent.hold(this.#holder, isCounted ? unsent : 0);
  }

  #write(text: string): void {
    if (text === "") return;
    this.#wire.write(text);
    const unsent = this.#wire.unsent();
    this.#count(unsent);
    if (unsent > this.#limits.maxUnsent) this.#balance();
  }

  /** Reads from the peer only while it keeps up. */
  #balance(): void {
    const unsent = this.#wire.unsent();
    this.#count(unsent);
    const isSlow = unsent > this.#limits.maxUnsent;
    const mustWait = isSlow || this.#calls >= this.#limits.maxCalls;
    if (isSlow) this.#writeDeadline ??= setTimeout(() => this.#wire.destroy(), this.#limits.writeMs);
    else {
      clearTimeout(this.#writeDeadline);
      this.#writeDeadline = undefined;
    }
    if (mustWait === this.#paused) return;
    this.#paused = mustWait;
    if (mustWait) this.#wire.pause();
    else this.#wire.resume();
  }
}
