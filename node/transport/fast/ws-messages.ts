/**
 * Messages of a WebSocket client that are not whole in one chunk: partial frames, fragments, bytes and text
 * beyond ASCII (RFC 6455, sections 5.2 to 5.6). The payload goes into one buffer, so that the memory of a
 * message does not depend on its fragments. Control frames come out whole and unchanged.
 */
import { isUtf8 } from "node:buffer";
import { GrowingBuffer } from "./growing-buffer.ts";

/** Receivers of messages and faults. */
export interface MessageReaders {
  readonly maxMessage: number;
  readonly onText: (text: string) => void;
  /** Receives a ping, a pong or a close frame with its mask. */
  readonly onControl: (frame: Buffer, opcode: number) => void;
  /**
   * Called when reading has ended: the connection is to be closed with this code (RFC 6455, section 7.4.1).
   */
  readonly onFault: (closeCode: number) => void;
}

/** Maximum fragments of one message: each takes time, even if it is a single byte. */
export const MAX_FRAGMENTS: number = 16 * 1024;

/** Close codes (RFC 6455, section 7.4.1). */
export const closeCodes = { protocol: 1002, encoding: 1007, policy: 1008, tooLarge: 1009 } as const;

/** Opcode of a frame that closes (RFC 6455, section 5.2). */
export const CLOSE_OPCODE = 8;
const PING_OPCODE = 9;
const PONG_OPCODE = 10;
const TEXT_OPCODE = 1;
const BINARY_OPCODE = 2;
const LAST = 0x80;
const RESERVED = 0x70;
const OPCODE = 0x0f;
const MASKED = 0x80;
const LENGTH = 0x7f;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const MASK_LENGTH = 4;
/** First two bytes, length, mask. */
const MAX_HEAD = 2 + 8 + MASK_LENGTH;
/** Bytes of this reader while something is incomplete. */
const READER_COST = 512;

/** A frame whose payload is being read. */
interface OpenFrame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly length: number;
  readonly mask: number;
  read: number;
}

/** Reads the messages of one connection. */
export class MessageReader {
  readonly #readers: MessageReaders;
  readonly #head = Buffer.alloc(MAX_HEAD);
  #headLength = 0;
  #frame: OpenFrame | undefined;
  /** The payload of the message so far. */
  readonly #message: GrowingBuffer;
  /** A control frame with its head; it may stand between fragments. */
  #control: GrowingBuffer | undefined;
  /** Opcode of the message whose fragments are being read; 0 between messages. */
  #opcode = 0;
  #fragments = 0;
  #isOver = false;

  constructor(readers: MessageReaders) {
    this.#readers = readers;
    this.#message = new GrowingBuffer(readers.maxMessage);
  }

  /** Bytes of memory of partial messages and frames; 0 when nothing is incomplete. */
  get memory(): number {
    return this.isIdle ? 0 : READER_COST + this.#message.memory;
  }

  /** True between messages, when a frame that is a whole message may begin. */
  get isIdle(): boolean {
    return this.#headLength === 0 && this.#frame === undefined && this.#opcode === 0;
  }

  /** True after a fault or `stop`: later bytes are discarded. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Reads from `at` until it is idle and returns the position then. It may change the chunk. After a fault or
   * `stop` it discards bytes.
   */
  push(chunk: Buffer, at: number): number {
    for (let next = at; next < chunk.length && !this.#isOver; ) {
      next =
        this.#frame === undefined ? this.#readHead(chunk, next) : this.#readPayload(this.#frame, chunk, next);
      if (this.isIdle) return this.#isOver ? chunk.length : next;
    }
    return chunk.length;
  }

  /** Stops reading and releases partial messages. */
  stop(): void {
    this.#isOver = true;
    this.#headLength = 0;
    this.#frame = undefined;
    this.#control = undefined;
    this.#opcode = 0;
    this.#message.take();
  }

  #fail(closeCode: number): void {
    this.stop();
    this.#readers.onFault(closeCode);
  }

  #readHead(chunk: Buffer, at: number): number {
    const head = this.#head;
    const wanted = this.#headLength < 2 ? 2 : headLength(head);
    const end = Math.min(chunk.length, at + wanted - this.#headLength);
    this.#headLength += chunk.copy(head, this.#headLength, at, end);
    if (this.#headLength < wanted) return end;
    if (wanted === 2) {
      if (!this.#isFrameAllowed(head)) this.#fail(closeCodes.protocol);
      return end;
    }
    this.#headLength = 0;
    this.#openFrame(head, wanted);
    return end;
  }

  /** Checks the first two bytes of a frame by the rules of RFC 6455, sections 5.2, 5.4 and 5.5. */
  #isFrameAllowed([first = 0, second = 0]: Buffer): boolean {
    const opcode = first & OPCODE;
    if ((first & RESERVED) !== 0 || (second & MASKED) === 0) return false;
    if (opcode === CLOSE_OPCODE || opcode === PING_OPCODE || opcode === PONG_OPCODE)
      return (first & LAST) !== 0 && (second & LENGTH) < TWO_BYTES;
    if (opcode === 0) return this.#opcode !== 0;
    return (opcode === TEXT_OPCODE || opcode === BINARY_OPCODE) && this.#opcode === 0;
  }

  #openFrame(head: Buffer, headEnd: number): void {
    const opcode = (head[0] ?? 0) & OPCODE;
    const length = payloadLength(head);
    const isControl = opcode >= CLOSE_OPCODE;
    if (!isControl && this.#message.length + length > this.#readers.maxMessage)
      return this.#fail(closeCodes.tooLarge);
    if (!isControl && ++this.#fragments > MAX_FRAGMENTS) return this.#fail(closeCodes.policy);
    if (isControl) {
      this.#control = new GrowingBuffer(headEnd + length);
      this.#control.append(head.subarray(0, headEnd));
    } else if (opcode !== 0) this.#opcode = opcode;
    const isLast = ((head[0] ?? 0) & LAST) !== 0;
    this.#frame = { opcode, isLast, length, mask: head.readUInt32BE(headEnd - MASK_LENGTH), read: 0 };
    if (length === 0) this.#closeFrame(this.#frame);
  }

  #readPayload(frame: OpenFrame, chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + frame.length - frame.read);
    const piece = chunk.subarray(at, end);
    if (this.#control !== undefined) this.#control.append(piece);
    else {
      unmask(piece, frame);
      this.#message.append(piece);
    }
    frame.read += piece.length;
    if (frame.read === frame.length) this.#closeFrame(frame);
    return end;
  }

  #closeFrame({ opcode, isLast }: OpenFrame): void {
    this.#frame = undefined;
    const control = this.#control?.take();
    this.#control = undefined;
    if (control !== undefined) this.#readers.onControl(control, opcode);
    else if (isLast) this.#closeMessage();
  }

  #closeMessage(): void {
    const isText = this.#opcode === TEXT_OPCODE;
    this.#opcode = 0;
    this.#fragments = 0;
    const bytes = this.#message.take();
    if (isText && !isUtf8(bytes)) return this.#fail(closeCodes.encoding);
    this.#readers.onText(bytes.toString("utf8"));
  }
}

function headLength([, second = 0]: Buffer): number {
  const length = second & LENGTH;
  const more = length === EIGHT_BYTES ? 8 : 2;
  return 2 + (length < TWO_BYTES ? 0 : more) + MASK_LENGTH;
}

/** Returns the payload's length. Above 2^53 it is inexact, which is far above every limit. */
function payloadLength(head: Buffer): number {
  const length = (head[1] ?? 0) & LENGTH;
  if (length === EIGHT_BYTES) return Number(head.readBigUInt64BE(2));
  return length === TWO_BYTES ? head.readUInt16BE(2) : length;
}

/** Removes the mask of the next bytes of a frame, in place. */
function unmask(piece: Buffer, { mask, read }: OpenFrame): void {
  if (mask === 0) return;
  for (let at = 0; at < piece.length; at++)
    piece[at] = (piece[at] as number) ^ (mask >>> (24 - 8 * ((read + at) & 3))); // within the piece
}
