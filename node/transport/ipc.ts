/**
 * The IPC listener: a Unix socket for its owner alone (a named pipe on Windows). It carries a stream of JSON
 * values with any white space between them.
 */
import { chmod, lstat, mkdir, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { RpcEndpoint } from "../jsonrpc/dispatch.ts";
import { JsonScanError } from "../jsonrpc/json-scanner.ts";
import { JsonStream } from "../jsonrpc/json-stream.ts";
import type { SubscriptionLimit } from "../jsonrpc/subscriptions.ts";
import { Outbox, ReplyTurn } from "./fast/outbox.ts";
import { closerOf, type Listener } from "./listener.ts";
import { StreamSession, type Wire } from "./stream-session.ts";

/** Options of an IPC listener. */
export interface IpcListenerOptions {
  readonly endpoint: RpcEndpoint;
  readonly subscriptionLimit: SubscriptionLimit;
  /** The socket's path, or a name beginning with `\\.\pipe\` on Windows. */
  readonly path: string;
  /** Maximum characters of one message; a longer one closes its connection. */
  readonly maxMessage?: number;
  readonly maxConnections?: number;
}

/**
 * Messages may be large, because a chain file may be one hex text and only the owner of the node has access.
 */
const MAX_MESSAGE = 256 * 1024 * 1024;

/**
 * Opens a listener, which serves once the promise has resolved. Replaces the socket of a node that has ended.
 * Rejects when another process serves there or the path is not a socket.
 */
export async function openIpc(options: IpcListenerOptions): Promise<Listener> {
  const { path } = options;
  const isFile = !path.startsWith("\\\\.\\pipe\\");
  if (isFile) await makeRoom(path);
  const sockets = new Map<Socket, Outbox>();
  const turn = new ReplyTurn();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once("close", () => sockets.delete(socket));
    sockets.set(socket, serve(socket, options, turn));
  });
  server.maxConnections = options.maxConnections ?? 1000;
  await listenPrivately(server, path);
  if (isFile) await chmod(path, 0o600);
  const close = closerOf(server);
  return {
    url: path,
    address: path,
    retire: () => void close(),
    [Symbol.asyncDispose]: async () => {
      const closed = close();
      for (const [socket, outbox] of sockets) {
        outbox.finish();
        socket.destroySoon();
      }
      await closed;
    },
  };
}

async function makeRoom(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o751 });
  const there = await lstat(path).catch(() => undefined);
  if (there === undefined) return;
  if (!there.isSocket()) throw new Error(`${path} exists and is not a socket`);
  if (await isServed(path)) throw new Error(`another process serves ${path}`);
  await rm(path, { force: true });
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** Creates the socket with access for its owner alone from the start, not only after `chmod`. */
function listenPrivately(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const umask = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off("error", reject);
        server.on("error", () => undefined); // a failed accept must not end the process
        resolve();
      });
    } finally {
      process.umask(umask);
    }
  });
}

function serve(socket: Socket, options: IpcListenerOptions, turn: ReplyTurn): Outbox {
  const { endpoint, subscriptionLimit, maxMessage = MAX_MESSAGE } = options;
  const outbox: Outbox = new Outbox(socket, turn, () => session.onDrain());
  const session: StreamSession = new StreamSession(endpoint, subscriptionLimit, wireOf(socket, outbox));
  const decoder = new StringDecoder("utf8");
  const values = new JsonStream(maxMessage, (text) => session.take(text));
  const read = (chunk: Buffer): void => {
    try {
      values.push(decoder.write(chunk));
    } catch (error) {
      socket.off("data", read);
      socket.pause();
      session.fault(error instanceof JsonScanError ? error.message : "internal error");
    }
  };
  socket.on("data", read);
  socket.on("end", () => session.finish()); // a peer may send its last call and listen on
  socket.on("error", () => socket.destroy());
  socket.on("close", () => session.close());
  return outbox;
}

function wireOf(socket: Socket, outbox: Outbox): Wire {
  return {
    write: (text, isAscii = Buffer.byteLength(text) === text.length) =>
      outbox.write(text, isAscii ? "latin1" : "utf8"),
    unsent: () => outbox.unsent,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => {
      outbox.finish();
      socket.destroySoon();
    },
    destroy: () => void socket.destroy(),
  };
}
