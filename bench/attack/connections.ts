/** Raw sockets of attackers: opened, written to as fast as the node reads, opened again when the node cuts them. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** Totals of all connections of an attack. */
export interface ConnectionTally {
  connections: number;
  /** Connections that the node ended or refused. */
  cut: number;
  bytes: number;
}

/** A connection of an attack. */
export interface AttackSocket {
  readonly socket: Socket;
  /** Resolves when the socket takes more. Rejects when the connection ends. */
  write(bytes: Buffer | string): Promise<void>;
  /** Resolves with the first bytes that come. Rejects when the connection ends. */
  answer(): Promise<Buffer>;
}

/** Options of the connections of an attack. */
export interface ConnectionsOptions {
  readonly port: number;
  readonly count: number;
  readonly signal: AbortSignal;
  /** One connection from its opening on; when it returns the connection is kept open until the node ends it. */
  readonly use: (connection: AttackSocket) => Promise<void>;
}

/** Before a connection that was cut is opened again. */
const PAUSE_MS = 100;

/** Keeps `count` connections busy until the signal. */
export async function keepConnections(options: ConnectionsOptions): Promise<ConnectionTally> {
  const tally: ConnectionTally = { connections: 0, cut: 0, bytes: 0 };
  await Promise.all(Array.from({ length: options.count }, () => keepOne(options, tally)));
  return tally;
}

async function keepOne({ port, signal, use }: ConnectionsOptions, tally: ConnectionTally): Promise<void> {
  while (!signal.aborted) {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true, signal });
    socket.on("error", () => undefined);
    tally.connections++;
    try {
      await once(socket, "connect");
      await use(attackSocket(socket, tally));
      socket.resume();
      await untilClosed(socket);
      tally.cut++;
    } catch {
      if (!signal.aborted) tally.cut++;
    }
    socket.destroy();
    await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

function untilClosed(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

function attackSocket(socket: Socket, tally: ConnectionTally): AttackSocket {
  const closing = new AbortController();
  const { signal } = closing;
  socket.once("close", () => closing.abort());
  return {
    socket,
    write: async (bytes) => {
      if (socket.destroyed) throw new Error("the node ended the connection");
      tally.bytes += bytes.length;
      if (socket.write(bytes)) return;
      await once(socket, "drain", { signal });
    },
    answer: async () => {
      const [bytes] = (await once(socket, "data", { signal })) as [Buffer];
      return bytes;
    },
  };
}

/** The figures of a tally. */
export function tallyFigures({ connections, cut, bytes }: ConnectionTally): Record<string, number> {
  return { connections, cut, sentMB: Math.round(bytes / 1e5) / 10 };
}
