/**
 * A socket that is read in slices, for a server in which every byte may cost an event: thousands of one-byte
 * chunks cost as much as thousands of requests. The first slice of a chunk is passed on at once, each further
 * one in its own turn of the event loop, so that the rest of the node waits for one slice only.
 */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { MemoryBudget } from "../jsonrpc/memory-budget.ts";
import type { TurnQueue } from "../runtime/turn-queue.ts";
import { clientOf } from "./places.ts";

/** State that the sockets of a server share. */
export interface Pace {
  readonly turns: TurnQueue;
  /** Budget of partial requests of all connections; slices that wait count as one. */
  readonly halves: MemoryBudget;
}

/** Reading that its user can hold. */
interface Gate {
  /** Requests for which it is held. */
  held: number;
  /** True when it was asked for meanwhile. */
  isWanted: boolean;
  readonly read: () => void;
}

const gates = new WeakMap<Duplex, Gate>();

/** Leaves what a paced socket has not passed on yet unread until the result is disposed of. */
export function holdReading(paced: Duplex): Disposable {
  const gate = gates.get(paced);
  if (gate === undefined) throw new RangeError("the socket is not paced");
  gate.held++;
  return {
    [Symbol.dispose]: () => {
      if (--gate.held > 0 || !gate.isWanted) return;
      gate.isWanted = false;
      gate.read();
    },
  };
}

/** Enough for nearly every request. */
const FIRST_SLICE = 2 * 1024;
const SLICE = 4 * 1024;

/** Returns the reading side of `socket`, which it owns from now on. Timeouts remain those of the socket. */
export function pacedSocket(socket: Socket, pace: Pace): Duplex {
  const paced: Duplex = new Duplex({
    readableHighWaterMark: SLICE,
    read: () => read(),
    write: (chunk: Buffer, encoding, done) => void socket.write(chunk, encoding, done),
    writev: (chunks, done) => writeAll(socket, chunks, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  const gate: Gate = { held: 0, isWanted: false, read: () => read() };
  gates.set(paced, gate);
  const read = readerOf(socket, paced, { ...pace, gate });
  socket.on("timeout", () => paced.emit("timeout"));
  socket.on("error", (error) => paced.destroy(error));
  return Object.assign(paced, {
    remoteAddress: socket.remoteAddress,
    setTimeout: (ms: number) => {
      socket.setTimeout(ms);
      return paced;
    },
    destroySoon: () => endAndDestroy(paced),
  });
}

/**
 * Returns a function that passes the next slice on: now, in its own turn, or when it arrives. Waiting bytes
 * stay in the socket.
 */
function readerOf(
  socket: Socket,
  paced: Duplex,
  { turns, halves, gate }: Pace & { readonly gate: Gate },
): () => void {
  const holder = { owner: clientOf(socket), onDrop: () => void paced.destroy() };
  let isLate = false;
  let isWaiting = false;
  const pass = (longest: number): void => {
    const slice = socket.read(Math.min(longest, socket.readableLength)) as Buffer | null; // no encoding was set
    if (slice === null) return; // the socket is gone
    isLate = socket.readableLength > 0;
    halves.hold(holder, socket.readableLength);
    if (!paced.destroyed) paced.push(slice);
  };
  const read = (): void => {
    if (isWaiting || paced.destroyed) return;
    if (gate.held > 0) {
      gate.isWanted = true;
      return;
    }
    if (socket.readableLength === 0) return void socket.read(0); // asks for more
    if (!isLate) return pass(FIRST_SLICE);
    isWaiting = true;
    void turns.next(holder).then(() => {
      isWaiting = false;
      if (gate.held > 0) gate.isWanted = true;
      else if (!paced.destroyed) pass(SLICE);
    });
  };
  socket.on("readable", () => {
    if (isLate || gate.held > 0) halves.hold(holder, socket.readableLength);
    if (!isLate) read();
  });
  socket.on("end", () => paced.push(null));
  socket.on("close", () => {
    halves.hold(holder, 0);
    paced.destroy();
  });
  return read;
}

function writeAll(
  socket: Socket,
  chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
  callback: (error?: Error | null) => void,
): void {
  socket.cork();
  chunks.forEach(({ chunk, encoding }, i) => {
    if (i === chunks.length - 1) socket.write(chunk, encoding, callback);
    else socket.write(chunk, encoding);
  });
  socket.uncork();
}

/** Ends a stream, then destroys it, like `destroySoon` of a socket. */
function endAndDestroy(paced: Duplex): void {
  if (paced.writable) paced.end();
  if (paced.writableFinished) paced.destroy();
  else paced.once("finish", () => paced.destroy());
}
