/**
 * Frames of a WebSocket client that are read without the library (RFC 6455, section 5.2): a whole, masked text frame
 * of ASCII is nearly all that clients send.
 */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";

/** What becomes of what a client sends. */
export interface FrameReaders {
  /** Frames up to this length are read here. */
  readonly longest: number;
  readonly onText: (text: string) => void;
  /** Before the library gets a chunk: the message that this one ends is told of after it. */
  readonly onRest: (chunk: Buffer) => void;
}

/**
 * Stands before the library's own reading of the socket. Plain messages are read here; the library gets other whole
 * frames, and from the first half one on everything.
 */
export function readFrames(peer: WebSocket, socket: Socket, { longest, onText, onRest }: FrameReaders): void {
  const [library] = socket.listeners("data") as ((chunk: Buffer) => void)[];
  if (library === undefined) throw new TypeError("the library does not read the socket");
  let isTheirs = false;
  const read = (chunk: Buffer): Buffer | undefined => {
    for (let at = 0; at < chunk.length; ) {
      const frame = peer.readyState === peer.OPEN ? frameAt(chunk, at, longest) : undefined;
      if (frame === undefined) return chunk.subarray(at);
      if (frame.text !== undefined) onText(frame.text);
      else library.call(socket, chunk.subarray(at, frame.end));
      at = frame.end;
    }
    return undefined;
  };
  socket.on("data", (chunk: Buffer) => {
    const rest = isTheirs ? chunk : read(chunk);
    if (rest === undefined) return;
    isTheirs = true;
    onRest(rest);
    library.call(socket, rest);
  });
  socket.off("data", library);
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
