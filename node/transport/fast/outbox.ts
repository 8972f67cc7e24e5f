/**
 * Texts for one peer: gathered while a turn of the event loop lasts, then one write. An outbox that queues keeps texts
 * for a peer that does not read outside the heap, in buffers whose whole size is counted.
 */
import type { Socket } from "node:net";
import type { ReplyTurn } from "./reply-turn.ts";

/** `latin1` writes each character as one byte. */
export type OutboxEncoding = "latin1" | "utf8";

/** Characters that wait at most: a long answer keeps its peer busy anyway. */
const MAX_GATHERED = 32 * 1024;
const MIN_CHUNK = 4 * 1024;
const MAX_CHUNK = 256 * 1024;

/** Bytes behind a write that the peer has not taken. */
interface Chunk {
  readonly bytes: Buffer;
  used: number;
}

/** See the file's header. */
export class Outbox {
  readonly #socket: Socket;
  readonly #turn: ReplyTurn;
  readonly #onQueue: (() => void) | undefined;
  #text = "";
  #encoding: OutboxEncoding = "latin1";
  #isBehind = false;
  #queue: Chunk[] = [];
  #queued = 0;

  /** With `onQueue`, called when `unsent` has changed by more than what a turn gathers, texts are queued here. */
  constructor(socket: Socket, turn: ReplyTurn, onQueue?: () => void) {
    this.#socket = socket;
    this.#turn = turn;
    this.#onQueue = onQueue;
  }

  /** Bytes that the peer has not taken yet; of those that wait for the end of the turn, characters. */
  get unsent(): number {
    return this.#text.length + this.#queued + this.#socket.writableLength;
  }

  /** Everything goes out in the order of these calls. */
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

  /** The same for bytes between two texts, with what waits in one write. Not for an outbox that queues. */
  writeAround(head: string, bytes: Uint8Array, tail: string): void {
    this.#socket.cork();
    this.flush();
    this.#socket.write(head);
    this.#socket.write(bytes);
    this.#socket.write(tail);
    this.#socket.uncork();
  }

  /** Writes what was gathered, or queues it behind what the peer has not taken. */
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

  /** Hands everything to the socket: to be called before anything is done to the socket itself. */
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
