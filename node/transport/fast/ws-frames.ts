/**
 * Frames of a WebSocket client (RFC 6455, section 5.2). A whole, masked text frame of ASCII, which is nearly all that
 * clients send, is read where it stands; all other messages are read by `MessageReader`, control frames by the library.
 */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { CLOSE_OPCODE, MessageReader } from "./ws-messages.ts";

/** What becomes of what a client sends. */
export interface FrameReaders {
  readonly maxMessage: number;
  readonly onText: (text: string) => void;
  /**
   * After each chunk while something is half read, and when it no longer is: its bytes of memory, and whether it began
   * in this chunk.
   */
  readonly onHalf: (memory: number, isNew: boolean) => void;
  /** Nothing is read any more: the connection is to be closed with this code. */
  readonly onFault: (closeCode: number) => void;
}

/** Reading that can be ended. */
export interface FrameReading {
  /** Bytes that come are thrown away from now on, and what is half read is released. */
  stop(): void;
}

/** Stands in place of the library's own reading of the socket; the library gets whole control frames. */
export function readFrames(
  peer: WebSocket,
  socket: Socket,
  { maxMessage, onText, onHalf, onFault }: FrameReaders,
): FrameReading {
  const [library] = socket.listeners("data") as ((chunk: Buffer) => void)[];
  if (library === undefined) throw new TypeError("the library does not read the socket");
  const take = (text: string): void => {
    if (peer.readyState === peer.OPEN) onText(text);
  };
  const reader = new MessageReader({
    maxMessage,
    onText: take,
    onFault,
    onControl: (frame, opcode) => {
      library.call(socket, frame);
      if (opcode === CLOSE_OPCODE) reader.stop(); // the library reads no more either
    },
  });
  let wasHalf = false;
  const read = (chunk: Buffer): void => {
    let isNew = !wasHalf;
    for (let at = 0; at < chunk.length; ) {
      const frame = reader.isIdle ? frameAt(chunk, at, maxMessage) : undefined;
      if (frame?.text !== undefined) take(frame.text);
      at = frame?.text === undefined ? reader.push(chunk, at) : frame.end;
      if (reader.isIdle) isNew = true;
    }
    const { memory } = reader;
    if (memory > 0 || wasHalf) onHalf(memory, isNew);
    wasHalf = memory > 0;
  };
  socket.on("data", read);
  socket.off("data", library);
  peer.once("error", () => reader.stop()); // of a control frame
  return reader;
}

/** A frame that is whole in a chunk. */
export interface Frame {
  /** Behind it. */
  readonly end: number;
  /** Undefined for any other kind than plain text. */
  readonly text: string | undefined;
}

const LAST = 0x80;
const OPCODE = 0x0f;
const MASKED = 0x80;
const LENGTH = 0x7f;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const MASK_LENGTH = 4;
/** A whole text frame without extensions. */
const TEXT = 0x81;

/** The frame at `at`; undefined when it is not whole, one of several, not masked or longer than `longest`. */
export function frameAt(chunk: Buffer, at: number, longest: number): Frame | undefined {
  const kind = chunk[at] ?? 0;
  const size = chunk[at + 1] ?? 0;
  if (!isWholeMessage(kind) || (size & MASKED) === 0 || (size & LENGTH) === EIGHT_BYTES) return undefined;
  const isShort = (size & LENGTH) !== TWO_BYTES;
  const begin = at + (isShort ? 2 : 4) + MASK_LENGTH;
  if (begin > chunk.length) return undefined;
  const length = isShort ? size & LENGTH : chunk.readUInt16BE(at + 2);
  const end = begin + length;
  if (length > longest || end > chunk.length) return undefined;
  return { end, text: kind === TEXT ? asciiText(chunk, begin, end) : undefined };
}

/** By a frame's first byte. */
function isWholeMessage(kind: number): boolean {
  return (kind & LAST) !== 0 && (kind & OPCODE) !== 0;
}

/** Takes the mask off, in place; puts it back when there is more than ASCII. */
function asciiText(chunk: Buffer, begin: number, end: number): string | undefined {
  if (unmask(chunk, begin, end) < 0x80) return chunk.toString("latin1", begin, end);
  unmask(chunk, begin, end);
  return undefined;
}

/** Takes the mask off, or puts it on; all bits that there are then. */
function unmask(chunk: Buffer, begin: number, end: number): number {
  const mask = begin - MASK_LENGTH;
  let bits = 0;
  for (let at = begin; at < end; at++) {
    const byte = (chunk[at] as number) ^ (chunk[mask + ((at - begin) & 3)] as number); // within the chunk
    chunk[at] = byte;
    bits |= byte;
  }
  return bits;
}
