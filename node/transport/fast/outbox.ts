/**
 * Texts for one peer: gathered during a turn of the event loop, then written at once. With a queue, texts for
 * a slow peer are stored outside the JavaScript heap, in buffers that are counted in full. A write may wake the
 * process of the peer, which costs more than a short call; at the end of the turn the answers of many
 * connections wake it once.
 */
import type { Socket } from "node:net";

/** `latin1` writes each character as one byte. */
export type OutboxEncoding = "latin1" | "utf8";

/** Maximum characters that are gathered. */
const MAX_GATHERED = 32 * 1024;
const MIN_CHUNK = 4 * 1024;
const MAX_CHUNK = 256 * 1024;

/** Bytes in the queue behind a pending write. */
interface Chunk {
  readonly bytes: Buffer;
  used: number;
}

/** The texts for one peer. */
export class Outbox {
  readonly #socket: Socket;
  readonly #turn: ReplyTurn;
  readonly #onQueue: (() => void) | undefined;
  #text = "";
  #encoding: OutboxEncoding = "latin1";
  #isBehind = false;
  #queue: Chunk[] = [];
  #queued = 0;

  /** `onQueue` enables the queue. It is called when `unsent` has changed by more than a turn gathers. */
  constructor(socket: Socket, turn: ReplyTurn, onQueue?: () => void) {
    this.#socket = socket;
    this.#turn = turn;
    this.#onQueue = onQueue;
  }

  /** Bytes that the peer has not read; texts of the current turn count in characters. */
  get unsent(): number {
    return this.#text.length + this.#queued + this.#socket.writableLength;
  }

  /** Writes a text behind all earlier ones. */
  write(text: string, encoding: OutboxEncoding): void {
    if (this.#text === "") {
      this.#text = text;
      this.#encoding = encoding;
      if (text.length <= MAX_GATHERED) this.#turn.add(this);
      else this.flush();
      return;
    }
    if (encoding === this.#encoding) this.#text += text;
    else {
      this.flush();
      this.write(text, encoding);
    }
    if (this.#text.length > MAX_GATHERED) this.flush();
  }

  /** Writes bytes between two texts, together with the gathered texts. Not for an outbox with a queue. */
  writeAround(head: string, bytes: Uint8Array, tail: string): void {
    this.#socket.cork();
    this.flush();
    this.#socket.write(head);
    this.#socket.write(bytes);
    this.#socket.write(tail);
    this.#socket.uncork();
  }

  /** Writes the gathered texts, or queues them behind a pending write. */
  flush(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    if (this.#isBehind) this.#enqueue(text, this.#encoding);
    else {
      this.#socket.write(text, this.#encoding);
      if (this.#onQueue !== undefined) this.#awaitPeer();
    }
  }

  /** Passes everything to the socket. Call it before using the socket directly. */
  finish(): void {
    this.flush();
    this.#writeQueue();
  }

  #awaitPeer(): void {
    if (this.#isBehind || this.#socket.writableLength === 0) return;
    this.#isBehind = true;
    this.#socket.write("", (error) => {
      this.#isBehind = false;
      if (error === undefined || error === null) this.#writeQueue();
      this.#onQueue?.();
    });
    this.#onQueue?.();
  }

  #writeQueue(): void {
    if (this.#queue.length === 0) return;
    const queue = this.#queue;
    this.#queue = [];
    this.#queued = 0;
    this.#socket.cork();
    for (const { bytes, used } of queue) this.#socket.write(bytes.subarray(0, used));
    this.#socket.uncork();
    this.#awaitPeer();
  }

  #enqueue(text: string, encoding: OutboxEncoding): void {
    const length = encoding === "latin1" ? text.length : Buffer.byteLength(text);
    let last = this.#queue.at(-1);
    if (last === undefined || last.bytes.length - last.used < length) {
      const size = Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, 2 * (last?.bytes.length ?? 0)));
      last = { bytes: Buffer.allocUnsafeSlow(Math.max(length, size)), used: 0 };
      this.#queue.push(last);
      this.#queued += last.bytes.length;
    }
    last.used += last.bytes.write(text, last.used, encoding);
    this.#onQueue?.();
  }
}

/** An outbox with gathered texts. */
interface Flushed {
  flush(): void;
}

/** Maximum outboxes that wait. */
const MAX_WAITING = 64;

/**
 * Milliseconds after an answer in which the next message of the same peer makes a conversation: then the loop looks for
 * messages for as long without sleeping. To wake a processor up takes longer than most answers.
 */
const CONVERSATION_MS = 0.1;

/** The outboxes to be flushed at the end of the turn. */
export class ReplyTurn {
  #waiting: Flushed[] = [];
  /** Callback at the end of this turn or of the next one. */
  #end: NodeJS.Immediate | undefined;
  /** The outbox of the last turn with answers, if it was the only one. */
  #last: Flushed | undefined;
  /** End of that turn. */
  #lastEnd = 0;
  #isConversation = false;
  readonly #now: () => number;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** True while a callback keeps the loop from sleeping. */
  get isAwake(): boolean {
    return this.#end?.hasRef() === true;
  }

  /** Has an outbox flushed before the turn ends, or at once when many wait already. */
  add(outbox: Flushed): void {
    this.#waiting.push(outbox);
    if (this.#waiting.length >= MAX_WAITING) this.flush();
    else if (this.#waiting.length === 1) {
      this.#isConversation = outbox === this.#last && this.#now() - this.#lastEnd < CONVERSATION_MS;
      this.#end = this.#end?.ref() ?? setImmediate(this.#over);
    }
  }

  /** Flushes all outboxes. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const outbox of waiting) outbox.flush();
  }

  /**
   * Runs first among the callbacks at the end of a turn, so that slices of long work do not delay answers. It keeps a
   * turn from waiting for events in a conversation only.
   */
  readonly #over = (): void => {
    const { length, 0: first } = this.#waiting;
    const isBusy = first !== undefined;
    this.flush();
    const now = this.#now();
    if (isBusy) {
      this.#last = length === 1 ? first : undefined;
      this.#lastEnd = now;
    }
    const isAwake = this.#isConversation && now - this.#lastEnd < CONVERSATION_MS;
    this.#end = isBusy || isAwake ? setImmediate(this.#over) : undefined;
    if (!isAwake) this.#end?.unref();
  };
}
