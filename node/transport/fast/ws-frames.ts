/**
 * Frames of a WebSocket client (RFC 6455, section 5.2). A whole, masked text frame of ASCII, which is nearly
 * all that clients send, is read in place. `MessageReader` reads all other messages, the library control
 * frames.
 */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { CLOSE_OPCODE, MessageReader } from "./ws-messages.ts";

/** Receivers of the client's messages and frames. */
export interface FrameReaders {
  readonly maxMessage: number;
  readonly onText: (text: string) => void;
  /**
   * Called after each chunk while something is incomplete, and when it no longer is: bytes of its memory, and
   * if it began in this chunk.
   */
  readonly onHalf: (memory: number, isNew: boolean) => void;
  /** Called when reading has ended: the connection is to be closed with this code. */
  readonly onFault: (closeCode: number) => void;
}

/** Handle that ends the reading of frames. */
export interface FrameReading {
  /** Discards later bytes and releases partial messages. */
  stop(): void;
}

/** Replaces the library's own reading of the socket; the library receives whole control frames. */
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
      const frame = reader.isIdle && !reader.isOver ? frameAt(chunk, at, maxMessage) : undefined;
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

/** A frame that lies whole in a chunk. */
export interface Frame {
  /** Index behind the frame. */
  readonly end: number;
  /** Undefined for a frame of another kind than ASCII text. */
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

/**
 * Returns the frame at `at`; undefined when it is incomplete, a fragment, not masked or longer than
 * `longest`.
 */
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

/** Reports if the first byte of a frame begins a whole message. */
function isWholeMessage(kind: number): boolean {
  return (kind & LAST) !== 0 && (kind & OPCODE) !== 0;
}

/** Removes the mask in place and returns the text; restores the mask when there is more than ASCII. */
function asciiText(chunk: Buffer, begin: number, end: number): string | undefined {
  if (unmask(chunk, begin, end) < 0x80) return chunk.toString("latin1", begin, end);
  unmask(chunk, begin, end);
  return undefined;
}

/** Applies the mask, which removes or restores it. Returns all bits of the result. */
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
