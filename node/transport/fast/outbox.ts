/** What one connection has to tell its peer: gathered while a turn of the event loop lasts, then one write. */
import type { Socket } from "node:net";
import type { ReplyTurn } from "./reply-turn.ts";

/** `latin1` writes each character as one byte. */
export type OutboxEncoding = "latin1" | "utf8";

/** Characters that wait at most: a long answer keeps its peer busy anyway. */
const MAX_GATHERED = 32 * 1024;

/** See the file's header. */
export class Outbox {
  readonly #socket: Socket;
  readonly #turn: ReplyTurn;
  #text = "";
  #encoding: OutboxEncoding = "latin1";

  constructor(socket: Socket, turn: ReplyTurn) {
    this.#socket = socket;
    this.#turn = turn;
  }

  /** Bytes that the peer has not taken yet; of those that wait here, characters. */
  get unsent(): number {
    return this.#text.length + this.#socket.writableLength;
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

  /** The same for bytes between two texts, with what waits in one write. */
  writeAround(head: string, bytes: Uint8Array, tail: string): void {
    this.#socket.cork();
    this.flush();
    this.#socket.write(head);
    this.#socket.write(bytes);
    this.#socket.write(tail);
    this.#socket.uncork();
  }

  /** To be called before anything is done to the socket itself. */
  flush(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    this.#socket.write(text, this.#encoding);
  }
}
