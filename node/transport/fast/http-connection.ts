/**
 * One connection on the fast path: bytes in, whole requests to the endpoint, replies out in order. Nothing is
 * allocated per request but the strings themselves. The socket is not read while an answer is awaited or the
 * peer reads too slowly, so that one chunk is the most that waits.
 */
import type { Socket } from "node:net";
import { type LongAnswer, PARSE_ERROR, type RpcEndpoint, type RpcSession } from "../../jsonrpc/dispatch.ts";
import type { Holder, MemoryBudget } from "../../jsonrpc/memory-budget.ts";
import type { TimeShare } from "../../runtime/fair-time.ts";
import { destroyInTime } from "../closing.ts";
import type { HttpLimits } from "../http-limits.ts";
import { clientOf } from "../places.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import { type HeadReader, MAX_HEAD_BYTES, RequestReader } from "./http-head.ts";
import { Outbox, type ReplyTurn } from "./outbox.ts";

/** State that all connections of a listener share. */
export interface ConnectionHost {
  readonly endpoint: RpcEndpoint;
  readonly heads: HeadReader;
  readonly limits: HttpLimits;
  /** Time in milliseconds, updated once per sweep. */
  now: number;
  /** Budget of partial requests of all connections. */
  readonly halves: MemoryBudget;
  /** Head of a reply up to the value of Content-Length. */
  replyHead: string;
  readonly turn: ReplyTurn;
  /** Passes a socket to the full HTTP server. `unread` begins with a request that is not plain. */
  handOver(connection: HttpConnection, socket: Socket, unread: Buffer): void;
  forget(connection: HttpConnection): void;
}

/** Unsent bytes above which the socket is not read. */
const MAX_UNSENT = 1024 * 1024;
/** Unsent bytes below which they are not counted. */
const COUNTED_UNSENT = 64 * 1024;
/** Maximum characters of replies to pipelined requests in one write. */
const MAX_GATHERED = 256 * 1024;
const NOTHING = Buffer.alloc(0);
const HEAD_END = "\r\n\r\n";

type Phase = "idle" | "reading" | "answering" | "writing" | "gone";

/** A connection on the fast path. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #outbox: Outbox;
  #phase: Phase = "idle";
  #deadline: number;
  /** Bytes of requests without an answer yet, in order of arrival. */
  readonly #unread: GrowingBuffer;
  /** Unread bytes below which no request is complete; 0 until its head is complete. */
  #needed = 0;
  #closing = false;
  /**
   * True when all unwritten replies are ASCII. Derived from their lengths, so that texts are not scanned
   * twice.
   */
  #isAscii = true;
  #isCounted = false;
  readonly #session: RequestSession;
  readonly #time: TimeShare;
  readonly #asHalf: Holder;
  readonly #asUnsent: Holder;

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.#outbox = new Outbox(socket, host.turn);
    this.#session = new RequestSession(socket);
    const { owner } = this.#session.caller;
    this.#time = host.endpoint.time.open(owner);
    this.#asHalf = { owner, onDrop: () => this.#refuse() };
    this.#asUnsent = { owner, onDrop: () => this.#socket.destroy() };
    this.#unread = new GrowingBuffer(MAX_HEAD_BYTES + host.limits.maxBody);
    this.#deadline = host.now + host.limits.idleMs;
    socket.on("data", this.#onData);
    socket.on("drain", this.#onDrain);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  /** Enforces the deadlines; called about once a second. */
  sweep(now: number): void {
    if (now < this.#deadline) return;
    this.#closeWith(this.#phase === "answering" ? TIMED_OUT : "");
    if (this.#phase === "writing" || this.#phase === "reading") this.#socket.destroy();
    this.#leaveHost();
  }

  /** Closes behind a last text: soon, and at once when the peer has not read what came before. */
  #closeWith(text: string): void {
    this.#outbox.flush();
    if (this.#socket.writableLength > 0) {
      this.#socket.destroy();
      return;
    }
    this.#socket.write(text, "latin1");
    this.#socket.destroySoon();
    destroyInTime(this.#socket);
  }

  /** Stops reading. Closes at once, or after the answer that is under way. */
  stop(): void {
    this.#closing = true;
    if (this.#phase === "idle" || this.#phase === "reading") this.#end();
  }

  /** Closes after the answers written so far. */
  #end(): void {
    this.#outbox.flush();
    this.#socket.destroySoon();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#phase === "gone") return;
    if (this.#phase === "answering" || this.#phase === "writing") {
      this.#keep(chunk);
      return;
    }
    if (this.#unread.length === 0) {
      this.#serve(chunk);
      return;
    }
    this.#keep(chunk);
    if (this.#mayBeWhole(chunk.length)) this.#serve(this.#take());
  };

  /** Answers requests at once, or in a later turn when those of other connections have taken the time. */
  #serve(bytes: Buffer): void {
    if (bytes.length === 0) return;
    using turn = this.#time.begin();
    if (turn === undefined) this.#defer(bytes);
    else this.#process(bytes);
  }

  #defer(bytes: Buffer): void {
    this.#enter("answering", this.#host.limits.executionMs);
    this.#socket.pause();
    this.#keep(bytes);
    this.#time.wait(this.#goOn, this.#unread.length);
  }

  readonly #goOn = (): void => {
    if (this.#phase !== "answering") return; // timed out, refused, or the peer left
    this.#phase = "idle";
    this.#socket.resume();
    this.#process(this.#take());
    this.#outbox.flush(); // it has waited for others already
  };

  readonly #onDrain = (): void => {
    this.#forgetUnsent();
    if (this.#phase !== "writing") return;
    this.#phase = "idle";
    this.#socket.resume();
    this.#serve(this.#take());
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => this.#leaveHost();

  #leaveHost(): void {
    if (this.#phase === "gone") return;
    this.#phase = "gone";
    this.#session.end();
    this.#take();
    this.#forgetUnsent();
    this.#host.forget(this);
  }

  #forgetUnsent(): void {
    if (!this.#isCounted) return;
    this.#isCounted = false;
    this.#host.endpoint.unsent.hold(this.#asUnsent, 0);
  }

  /** Drops the connection: its partial request is the largest one above the budget. */
  #refuse(): void {
    this.#closeWith(BUSY);
    this.#leaveHost();
  }

  #keep(chunk: Buffer): void {
    if (this.#unread.length === 0 && this.#phase === "idle") this.#enter("reading", this.#host.limits.readMs);
    this.#unread.append(chunk);
    this.#host.halves.hold(this.#asHalf, this.#unread.memory);
  }

  /** Reports if the last `added` bytes complete a head, or a request with a complete head. */
  #mayBeWhole(added: number): boolean {
    const { length } = this.#unread;
    if (this.#needed > 0) return length >= this.#needed;
    if (length > MAX_HEAD_BYTES) return true;
    return this.#unread.indexOf(HEAD_END, Math.max(0, length - added - HEAD_END.length + 1)) >= 0;
  }

  #take(): Buffer {
    if (this.#unread.length === 0) return NOTHING;
    this.#host.halves.hold(this.#asHalf, 0);
    this.#needed = 0;
    return this.#unread.take();
  }

  #enter(phase: Phase, forMs: number): void {
    this.#phase = phase;
    this.#deadline = this.#host.now + forMs;
  }

  /** Answers the complete requests in `bytes` and stores the rest. */
  #process(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const requests = new RequestReader(bytes, this.#host.heads);
    let replies = "";
    while (requests.at < bytes.length) {
      const start = requests.at;
      const body = requests.next();
      if (body === "foreign") return this.#leave(replies, bytes.subarray(start));
      if (typeof body === "number") return this.#wait(replies, bytes.subarray(start), body);
      const answer = this.#host.endpoint.answerInParts(body.text, this.#session) ?? PARSE_ERROR;
      if (answer instanceof Promise) return this.#await(replies, answer, bytes.subarray(requests.at));
      if (typeof answer === "string") {
        replies += this.#reply(answer);
        if (replies.length <= MAX_GATHERED && !this.#mustYield(requests.at, bytes.length)) continue;
      }
      if (!this.#passOn(replies, answer, bytes.subarray(requests.at))) return;
      replies = "";
    }
    this.#finish(replies);
  }

  /** Writes replies. Returns false when the requests in `rest` must wait: for the peer, or for a later turn. */
  #passOn(replies: string, answer: string | LongAnswer, rest: Buffer): boolean {
    const isFree = typeof answer === "string" ? this.#write(replies) : this.#writeLong(replies, answer);
    if (isFree && (this.#phase === "gone" || !this.#mustYield(0, rest.length))) return true;
    if (isFree) this.#defer(rest);
    else this.#keepRest(rest);
    return false;
  }

  /** True when further requests must leave the turn to others. */
  #mustYield(at: number, end: number): boolean {
    return at < end && this.#time.isOver;
  }

  #reply(answer: string): string {
    const bytes = Buffer.byteLength(answer);
    if (bytes !== answer.length) this.#isAscii = false;
    return `${this.#host.replyHead}${bytes}\r\n\r\n${answer}`;
  }

  /** Writes replies. Returns false when the peer takes no more: reading pauses until the socket drains. */
  #write(text: string): boolean {
    if (text === "" || this.#phase === "gone") return true;
    this.#outbox.write(text, this.#isAscii ? "latin1" : "utf8");
    return this.#hasRoom();
  }

  #writeLong(replies: string, { head, bytes, tail }: LongAnswer): boolean {
    if (this.#phase === "gone") return true;
    const length = Buffer.byteLength(head) + bytes.length + tail.length;
    this.#outbox.writeAround(`${replies}${this.#host.replyHead}${length}\r\n\r\n${head}`, bytes, tail);
    return this.#hasRoom();
  }

  #hasRoom(): boolean {
    this.#isAscii = true;
    const { unsent } = this.#outbox;
    if (unsent <= COUNTED_UNSENT) return true;
    this.#isCounted = true;
    this.#host.endpoint.unsent.hold(this.#asUnsent, unsent);
    if (unsent <= MAX_UNSENT) return true;
    this.#enter("writing", this.#host.limits.writeMs);
    this.#socket.pause();
    return false;
  }

  #finish(replies: string): void {
    if (!this.#write(replies) || this.#phase === "gone") return;
    this.#enter("idle", this.#host.limits.idleMs);
    if (this.#closing) this.#end();
  }

  #keepRest(rest: Buffer): void {
    if (rest.length > 0) this.#keep(rest);
  }

  /** Stores a partial request, which has a deadline from now on. */
  #wait(replies: string, rest: Buffer, needed: number): void {
    const isFree = this.#write(replies);
    if (isFree && this.#phase !== "reading") this.#phase = "idle"; // keep() starts the deadline
    this.#keep(rest);
    this.#needed = needed;
  }

  #await(replies: string, answer: Promise<string | undefined>, rest: Buffer): void {
    this.#write(replies);
    if (this.#phase === "gone") return;
    this.#enter("answering", this.#host.limits.executionMs);
    this.#socket.pause();
    this.#keepRest(rest);
    void answer.then((text) => this.#sendAnswer(text ?? PARSE_ERROR));
  }

  #sendAnswer(answer: string): void {
    if (this.#phase !== "answering") return; // timed out, or the peer left
    this.#phase = "idle";
    this.#finish(this.#reply(answer));
    const phase = this.#phase as Phase; // finish() changes it
    if (phase !== "idle") return;
    this.#socket.resume();
    this.#serve(this.#take());
  }

  /** Hands the socket over, once the peer has read the answers that are counted here. */
  #leave(replies: string, unread: Buffer): void {
    this.#write(replies);
    this.#outbox.flush();
    const socket = this.#socket;
    if (socket.writableLength > COUNTED_UNSENT) {
      this.#enter("writing", this.#host.limits.writeMs);
      socket.pause();
      return this.#keep(unread);
    }
    socket.off("data", this.#onData);
    socket.off("drain", this.#onDrain);
    socket.off("error", this.#onError);
    socket.off("close", this.#onClose);
    this.#forgetUnsent();
    this.#phase = "gone";
    this.#host.handOver(this, socket, unread);
  }
}

const TIMED_OUT =
  "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n" +
  "Content-Length: 7\r\nConnection: close\r\n\r\ntimeout";
const BUSY =
  "HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 1\r\n" +
  "Content-Length: 4\r\nConnection: close\r\n\r\nbusy";

/**
 * The session of an HTTP connection or request, without notifications. Its signal is created on first use.
 */
export class RequestSession implements RpcSession {
  readonly subscriptions = undefined;
  readonly caller: Holder;
  #controller: AbortController | undefined;
  #isOver = false;

  /** A connection whose calls take most of the memory is closed. */
  constructor(socket: Socket) {
    this.caller = { owner: clientOf(socket), onDrop: () => void socket.destroy() };
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Aborts the calls under way: the client has gone. */
  end(): void {
    this.#isOver = true;
    this.#controller?.abort();
  }
}
