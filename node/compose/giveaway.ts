/**
 * Copies that a running node gives away: a socket beside the IPC socket, for one connection, which gets a checkpoint as a
 * tar stream at a limited rate while blocks go on. One at a time.
 */
import { randomBytes } from "node:crypto";
import { addAbortListener, once } from "node:events";
import { createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../bytes/message-of.ts";
import type { Checkpoints } from "../checkpoint/checkpoints.ts";
import { removeCheckpoint } from "../checkpoint/create.ts";
import { CheckpointError } from "../checkpoint/error.ts";
import { KeptTables, MARK_BYTES, MAX_MARKS } from "../checkpoint/kept-tables.ts";
import { checkpointStream, type StreamOptions } from "../checkpoint/stream.ts";
import type { TableHashes } from "../checkpoint/table-hashes.ts";
import type { Log } from "../observe/log.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import { WorkBehind } from "../runtime/parallel.ts";
import type { NodeOptions } from "./options.ts";

/** Gives copies away. */
export interface Giveaway extends AsyncDisposable {
  /**
   * Opens the socket and returns its path. The receiver first writes so many marks of tables that it has. Throws
   * `CheckpointError` `busy` or `failed`.
   */
  open(marks?: number): Promise<{ readonly path: string }>;
}

/** Parts of the node. */
export interface GiveawayDeps {
  readonly options: Pick<NodeOptions, "giveRate" | "ipc" | "paths">;
  readonly checkpoints: Pick<Checkpoints, "create">;
  readonly nodeKey: NodeKey;
  /** Shared with other copies of the node. */
  readonly hashes: TableHashes;
  readonly log: Log;
  /** Limits in milliseconds: of a copy that is about to end, until somebody connects, and of a receiver that takes nothing. */
  readonly times?: { readonly endMs: number; readonly connectMs: number; readonly stallMs: number };
}

const STAGING = "give.partial";
const TIMES = { endMs: 5_000, connectMs: 30_000, stallMs: 60_000 };
const MEBIBYTE = 2 ** 20;
/** Files are read for their SHA-256 before they are sent, which is cheaper than sending them. */
const READ_FACTOR = 4;

/** Opens it, and deletes the checkpoint that a killed process has left. */
export async function openGiveaway(deps: GiveawayDeps): Promise<Giveaway> {
  const { options, log, times = TIMES } = deps;
  const staging = join(options.paths.chainData, STAGING);
  await removeCheckpoint(staging);
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  return {
    async open(marks = 0) {
      if (marks > MAX_MARKS) throw new CheckpointError("failed", `at most ${MAX_MARKS} marks are read`);
      // The receiver of a copy has it before its checkpoint is deleted here.
      if (running !== undefined) await Promise.race([running, wait(times.endMs, undefined, { ref: false })]);
      if (running !== undefined) throw new CheckpointError("busy", "another copy is being given away");
      if (options.ipc === undefined) throw new CheckpointError("failed", "there is no IPC socket");
      const path = join(dirname(options.ipc.path), `checkpoint-${randomBytes(8).toString("hex")}.sock`);
      const server = createServer();
      const opened = Promise.withResolvers<Socket>();
      server.once("connection", (socket) => {
        server.close(); // for one connection alone; the path goes with it
        opened.resolve(socket);
      });
      const limit = AbortSignal.any([ending.signal, AbortSignal.timeout(times.connectMs)]);
      limit.addEventListener("abort", () => {
        server.close();
        opened.reject(new Error("nobody has connected"));
      });
      running = opened.promise
        .then((socket) =>
          give(deps, { socket, marks, staging, stallMs: times.stallMs, signal: ending.signal }),
        )
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, "copy was not given away"))
        .finally(() => {
          running = undefined;
        });
      try {
        server.listen(path);
        await once(server, "listening");
      } catch (cause) {
        opened.reject(cause);
        throw new CheckpointError("failed", `cannot listen on ${path}: ${messageOf(cause)}`, { cause });
      }
      return { path };
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
    },
  };
}

interface Gift {
  readonly socket: Socket;
  readonly marks: number;
  readonly staging: string;
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

async function give(
  { options, checkpoints, nodeKey, hashes, log }: GiveawayDeps,
  { socket, marks, staging, stallMs, signal }: Gift,
): Promise<void> {
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  socket.on("error", () => gone.abort()).on("close", () => gone.abort());
  try {
    const limit = AbortSignal.any([ended, AbortSignal.timeout(stallMs)]);
    const kept = new KeptTables(await readBytes(socket, marks * MARK_BYTES, limit));
    socket.resume(); // what else is sent here is dropped
    const { head } = await checkpoints.create(staging, ended);
    const { key, address } = nodeKey;
    const pace = createPace(options.giveRate * MEBIBYTE, ended);
    await using sending = new WorkBehind(1); // while the next piece is read
    for await (const piece of checkpointStream({ directory: staging, key, address, hashes, kept, pace }))
      await sending.start(() => send(socket, piece, stallMs, ended));
    await sending.settle();
    socket.end();
    await once(socket, "close", { signal: AbortSignal.any([signal, AbortSignal.timeout(stallMs)]) });
    log.info({ number: head.number, hash: head.hash }, "copy given away");
  } finally {
    socket.destroy();
    await removeCheckpoint(staging);
  }
}

/** Resolves when the system has taken the bytes. Throws the signal's reason, or when that takes too long. */
async function send(socket: Socket, bytes: Uint8Array, stallMs: number, signal: AbortSignal): Promise<void> {
  const taken = Promise.withResolvers<void>();
  const stall = setTimeout(() => taken.reject(new Error("the receiver takes nothing")), stallMs);
  using _ = addAbortListener(signal, () => taken.reject(signal.reason));
  try {
    socket.write(bytes, (error) => (error ? taken.reject(error) : taken.resolve()));
    await taken.promise;
  } finally {
    clearTimeout(stall);
  }
}

/** Reads so many bytes. Throws the signal's reason. */
async function readBytes(socket: Socket, length: number, signal: AbortSignal): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for (let left = length; left > 0; ) {
    const piece = socket.read(Math.min(left, Math.max(1, socket.readableLength))) as Buffer | null;
    if (piece === null) await once(socket, "readable", { signal });
    else {
      pieces.push(piece);
      left -= piece.length;
    }
  }
  return Buffer.concat(pieces);
}

/** Returns a function that waits so that files are sent at a rate, and read before at a multiple of it. */
function createPace(bytesPerSecond: number, signal: AbortSignal): NonNullable<StreamOptions["pace"]> {
  let due = 0;
  return async (bytes, work) => {
    const factor = work === "read" ? READ_FACTOR : 1;
    due = Math.max(due, performance.now()) + (1_000 * bytes) / bytesPerSecond / factor;
    const ahead = due - performance.now();
    if (ahead > 1) await wait(ahead, undefined, { signal });
  };
}
