/**
 * Exact reads from a socket under one deadline. Bytes are read from the socket on demand only, so a peer that
 * sends ahead fills the kernel's buffers, not the heap. One read at a time.
 */
import type { Socket } from "node:net";
import { P2pError } from "./error.ts";

/** Reader of one socket. */
export interface ByteReader {
  /** Resolves with the next `count` bytes. Rejects with `P2pError` `closed` or `timeout`. */
  read(count: number): Promise<Uint8Array>;
  /** Sets the deadline of all reads, in milliseconds from now; undefined clears it. */
  deadline(timeoutMs: number | undefined): void;
}

/**
 * Longer reads are collected in pieces of this size, in bytes, so that the buffer of the stream never grows.
 */
const MAX_READ_BYTES = 16_384;

interface Waiting {
  readonly count: number;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: P2pError) => void;
  into: Uint8Array | undefined;
  filled: number;
}

/** Creates a reader, which owns the reading side of the socket. */
export function openByteReader(socket: Socket): ByteReader {
  let waiting: Waiting | undefined;
  let ended: P2pError | undefined;
  const limit = createDeadline((timeoutMs) =>
    end(new P2pError("timeout", `nothing received for ${timeoutMs} ms`, { reason: "read-timeout" })),
  );
  const end = (error: P2pError): void => {
    ended ??= error;
    limit.close();
    waiting?.reject(ended);
    waiting = undefined;
  };
  const advance = (): void => {
    while (waiting !== undefined) {
      const piece = socket.read(Math.min(waiting.count - waiting.filled, MAX_READ_BYTES)) as Buffer | null;
      if (piece === null) return;
      const done = fill(waiting, piece);
      if (done === undefined) continue;
      waiting.resolve(done);
      waiting = undefined;
    }
  };
  const onClose = (): void => end(new P2pError("closed", "the connection was closed"));
  if (socket.destroyed) onClose();
  socket.on("readable", advance);
  socket.on("end", onClose);
  socket.on("close", onClose);
  socket.on("error", (cause) => end(new P2pError("closed", `connection error: ${cause.message}`, { cause })));
  return {
    read: (count) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        waiting = { count, resolve, reject, into: undefined, filled: 0 };
        advance();
      }),
    deadline: (timeoutMs) => limit.set(timeoutMs),
  };
}

/** Creates a deadline. Moving it does not restart its timer: the timer re-arms itself when it fires early. */
function createDeadline(missed: (timeoutMs: number) => void): {
  set(timeoutMs: number | undefined): void;
  close(): void;
} {
  let timer: NodeJS.Timeout | undefined;
  let lookMs = 0;
  let dueMs = Number.POSITIVE_INFINITY;
  let allowedMs = 0;
  let isClosed = false;
  const lookIn = (ms: number): void => {
    lookMs = dueMs;
    timer = setTimeout(look, ms);
  };
  const look = (): void => {
    timer = undefined;
    const left = dueMs - performance.now();
    if (left <= 0) missed(allowedMs);
    else if (left < Number.POSITIVE_INFINITY) lookIn(left);
  };
  return {
    set(timeoutMs) {
      dueMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
      if (timeoutMs === undefined || isClosed) return;
      allowedMs = timeoutMs;
      if (timer !== undefined && lookMs <= dueMs) return;
      clearTimeout(timer);
      lookIn(timeoutMs);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Adds a piece. Returns all bytes once they are complete. */
function fill(waiting: Waiting, piece: Uint8Array): Uint8Array | undefined {
  if (waiting.filled === 0 && piece.length === waiting.count) return piece;
  waiting.into ??= new Uint8Array(waiting.count);
  waiting.into.set(piece, waiting.filled);
  waiting.filled += piece.length;
  return waiting.filled === waiting.count ? waiting.into : undefined;
}
