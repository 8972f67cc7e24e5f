/**
 * One WebSocket or IPC connection above its framing: messages in, answers and notifications out. Each call is
 * answered when it is ready, so answers may overtake each other. Everything that waits is bounded: reading
 * pauses for a peer with too many calls under way or too many unread bytes, and a connection with too many
 * unread notifications is closed.
 */

import { nullError, type RpcEndpoint } from "../jsonrpc/dispatch.ts";
import { rpcCode } from "../jsonrpc/errors.ts";
import { jsonFault, UNEXPECTED_EOF } from "../jsonrpc/json-scanner.ts";
import type { Holder } from "../jsonrpc/memory-budget.ts";
import { type SubscriptionLimit, Subscriptions } from "../jsonrpc/subscriptions.ts";
import { type TimeShare, UNLIMITED_TIME } from "../runtime/fair-time.ts";

/** The transport of a session. */
export interface Wire {
  /** Queues one message. `isAscii` is true when the caller knows that each character is one byte. */
  write(text: string, isAscii?: boolean): void;
  /** Returns the bytes that the peer has not read. */
  unsent(): number;
  pause(): void;
  resume(): void;
  /** Ends the connection after what is queued. */
  end(): void;
  /** Ends the connection at once. */
  destroy(): void;
  /** Account of the connection; without one, messages are answered on arrival. */
  readonly time?: TimeShare;
  /** Name of the client whose connections are counted together. */
  readonly owner?: string | undefined;
}

/** Limits of one connection. */
export interface StreamLimits {
  /** Maximum calls under way. */
  readonly maxCalls: number;
  /** Unsent bytes above which reading pauses. */
  readonly maxUnsent: number;
  /** Unsent bytes above which a notification closes the connection. */
  readonly maxNotified: number;
  /** Milliseconds after which a peer that reads nothing while reading is paused is disconnected. */
  readonly writeMs: number;
}

/** Limits that a well-behaved client never reaches. */
export const streamDefaults: StreamLimits = {
  maxCalls: 256,
  maxUnsent: 4 * 1024 * 1024,
  maxNotified: 16 * 1024 * 1024,
  writeMs: 10_000,
};

/** Bytes gathered within a turn: fewer are counted only when the transport reports them as unsent. */
const MAX_GATHERED = 64 * 1024;

/** Matches text with more than white space. */
const NOT_BLANK = /[^ \t\r\n]/;

/** A session of one connection. */
export class StreamSession {
  readonly #endpoint: RpcEndpoint;
  readonly #wire: Wire;
  readonly #time: TimeShare;
  readonly #limits: StreamLimits;
  readonly #subscriptions: Subscriptions;
  readonly #closing = new AbortController();
  #calls = 0;
  #paused = false;
  #writeDeadline: NodeJS.Timeout | undefined;
  #isCounted = false;
  #isCut = false;
  /** The connection ends with the last call under way. */
  #isFinishing = false;
  /** Bytes of notifications that wait for an answer of this connection. */
  #held = 0;
  /** Messages for a later turn of the event loop: the rest of a chunk. Reading pauses meanwhile. */
  #backlog: string[] = [];
  readonly #holder: Holder;
  readonly #caller: Holder;

  constructor(
    endpoint: RpcEndpoint,
    limit: SubscriptionLimit,
    wire: Wire,
    limits: StreamLimits = streamDefaults,
  ) {
    this.#endpoint = endpoint;
    this.#wire = wire;
    this.#time = wire.time ?? UNLIMITED_TIME;
    this.#limits = limits;
    this.#holder = { owner: wire.owner, onDrop: () => this.#cut() };
    this.#caller = { owner: wire.owner, onDrop: () => this.#cut() };
    this.#subscriptions = new Subscriptions(endpoint.view, limit, {
      send: (text, isAscii) => this.#push(text, isAscii),
      hold: (bytes) => {
        this.#held = bytes;
        this.#count(wire.unsent());
      },
      cut: () => this.#cut(),
      owner: wire.owner,
    });
  }

  /** Answers one message. Text that is not JSON, or empty, closes the connection; a fault is reported before. */
  receive(text: string): void {
    using turn = this.#backlog.length === 0 ? this.#time.begin() : undefined;
    if (turn === undefined) this.#wait(text);
    else this.#answer(text);
  }

  /** Answers a message in a later turn. */
  #wait(text: string): void {
    this.#backlog.push(text);
    if (this.#backlog.length > 1) return;
    this.#time.wait(this.#answerNext, text.length);
    this.#balance();
  }

  readonly #answerNext = (): void => {
    const text = this.#backlog[0];
    if (text === undefined) return; // closed meanwhile
    this.#answer(text);
    this.#backlog.shift();
    const next = this.#backlog[0];
    if (next !== undefined) this.#time.wait(this.#answerNext, next.length);
    else if (!this.#isCut && !this.#closing.signal.aborted) this.#balance();
  };

  #answer(text: string): void {
    if (!this.take(text)) this.#refuse(text);
  }

  /** Closes the connection. Text that ends too early is not reported, as in the Go node. */
  #refuse(text: string): void {
    const why = jsonFault(text) ?? UNEXPECTED_EOF;
    if (why === UNEXPECTED_EOF) this.finish();
    else this.fault(why);
  }

  /** Answers one message; false when it is not JSON. */
  take(text: string): boolean {
    if (this.#isCut || this.#isFinishing || this.#closing.signal.aborted) return true;
    const turn = this.#subscriptions.turn();
    const { signal } = this.#closing;
    const answer = this.#endpoint.answer(text, { signal, subscriptions: turn, caller: this.#caller });
    if (answer === undefined || (answer === "" && !NOT_BLANK.test(text))) return false;
    if (typeof answer === "string") {
      this.#write(answer);
      turn.release();
    } else {
      this.#calls++;
      this.#balance();
      void answer.then((late) => {
        this.#calls--;
        if (this.#closing.signal.aborted) return;
        if (late === undefined) this.#refuse(text);
        else this.#write(late);
        turn.release();
        this.#balance();
        if (this.#isFinishing) this.finish();
      });
    }
    return true;
  }

  /** Reports text that is not JSON and closes the connection. */
  fault(message: string): void {
    this.#write(nullError(rpcCode.parse, message));
    this.finish();
  }

  /** Closes the connection once the calls under way are answered; later messages are not. */
  finish(): void {
    this.#isFinishing = true;
    if (this.#calls === 0) this.#wire.end();
  }

  /** Called when the peer has read queued bytes, or more have been queued. */
  onDrain(): void {
    if (this.#isCut || this.#closing.signal.aborted) return;
    this.#count(this.#wire.unsent());
    this.#balance();
  }

  /** Called when the connection has closed. */
  close(): void {
    clearTimeout(this.#writeDeadline);
    this.#backlog = [];
    this.#closing.abort();
    this.#subscriptions.close();
    this.#endpoint.unsent.hold(this.#holder, 0);
  }

  /** Closes the connection at once; later messages are not answered. */
  #cut(): void {
    this.#isCut = true;
    this.#wire.destroy();
  }

  #push(text: string, isAscii: boolean): void {
    if (this.#isCut || this.#closing.signal.aborted) return;
    if (this.#wire.unsent() + text.length > this.#limits.maxNotified) {
      this.#cut();
      return;
    }
    this.#wire.write(text, isAscii);
    this.#countLong(this.#wire.unsent());
  }

  /** Counts the unsent bytes in the budget of all peers. */
  #count(unsent: number): void {
    if (this.#isCut) return;
    const bytes = unsent + this.#held;
    this.#isCounted = bytes > 0;
    this.#endpoint.unsent.hold(this.#holder, bytes);
  }

  #countLong(unsent: number): void {
    if (this.#isCounted || unsent > MAX_GATHERED) this.#count(unsent);
  }

  #write(text: string): void {
    if (text === "" || this.#isCut) return;
    this.#wire.write(text);
    const unsent = this.#wire.unsent();
    this.#countLong(unsent);
    if (unsent > this.#limits.maxUnsent) this.#balance();
  }

  /** Pauses or resumes reading, by the bytes and calls that wait. */
  #balance(): void {
    const unsent = this.#wire.unsent();
    this.#countLong(unsent);
    const isSlow = unsent > this.#limits.maxUnsent;
    const mustWait = isSlow || this.#calls >= this.#limits.maxCalls || this.#backlog.length > 0;
    if (isSlow) this.#writeDeadline ??= setTimeout(() => this.#cut(), this.#limits.writeMs);
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
