/**
 * TCP listener. A bounded number of handshakes run at once and as many connections wait. A slow handshake is
 * closed in favour of a waiting connection. When all slots are taken, the oldest connection of the address, or
 * IPv6 network, with the most connections is closed.
 */
import { createServer, type Socket } from "node:net";
import { ownerOfIp } from "../bytes/ip.ts";
import { P2pError } from "./error.ts";

/** Options of a listener. */
export interface ListenerOptions {
  /** Address to listen on; all interfaces when undefined. */
  readonly host: string | undefined;
  readonly port: number;
  /** Maximum number of concurrent handshakes; as many connections again may wait. */
  readonly maxPending: number;
  /** Time limit of a handshake while connections wait, in milliseconds. */
  readonly crowdedMs: number;
  /** Sets up a connection. Resolves, never rejects, when that has succeeded or failed. */
  readonly setUp: (socket: Socket) => Promise<void>;
}

/** An open listener. Disposing it closes pending connections. */
export interface PeerListener extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
}

/** Opens a listener. Rejects with `P2pError` `cannot-listen`. */
export async function openListener(options: ListenerOptions): Promise<PeerListener> {
  const { host, port } = options;
  const queue = new HandshakeQueue(options);
  const server = createServer({ noDelay: true }, (socket) => {
    // Stays for the socket's life: an error without a listener would end the process.
    socket.on("error", () => socket.destroy());
    queue.add(socket);
  });
  const address = await new Promise<{ address: string; port: number }>((resolve, reject) => {
    // Stays: a connection that cannot be accepted later on, for want of file handles, ends nothing.
    server.on("error", (cause) =>
      reject(new P2pError("cannot-listen", `cannot listen for peers: ${cause.message}`, { cause })),
    );
    server.listen({ host, port }, () => resolve(server.address() as { address: string; port: number }));
  });
  return {
    host: address.address,
    port: address.port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      queue[Symbol.dispose]();
      await closed;
    },
  };
}

/** Connections in their handshake and those that wait for one. Disposing it closes them. */
export class HandshakeQueue implements Disposable {
  readonly #options: Omit<ListenerOptions, "host" | "port">;
  /**
   * Start times of running set-ups. A closed connection stays until its set-up has returned, so that at most
   * `maxPending` run.
   */
  readonly #pending = new Map<Socket, number>();
  readonly #waiting = new Set<Socket>();
  /** Owners of the addresses of pending and waiting connections. */
  readonly #owners = new WeakMap<Socket, string | undefined>();

  constructor(options: Omit<ListenerOptions, "host" | "port">) {
    this.#options = options;
  }

  add(socket: Socket): void {
    const { maxPending } = this.#options;
    this.#owners.set(socket, ownerOfIp(socket.remoteAddress ?? ""));
    if (this.#pending.size < maxPending) {
      void this.#begin(socket);
      return;
    }
    if (this.#waiting.size >= maxPending) this.#oldestOfMost()?.destroy();
    this.#waiting.add(socket);
    socket.once("close", () => this.#waiting.delete(socket));
    this.#closeLate();
  }

  [Symbol.dispose](): void {
    for (const socket of [...this.#waiting, ...this.#pending.keys()]) socket.destroy();
  }

  async #begin(socket: Socket): Promise<void> {
    const { setUp, crowdedMs } = this.#options;
    this.#pending.set(socket, performance.now());
    const timer = setTimeout(() => this.#closeLate(), crowdedMs + 1);
    await setUp(socket);
    clearTimeout(timer);
    this.#pending.delete(socket);
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting.delete(first);
    void this.#begin(first);
  }

  /** Closes handshakes over the time limit, one for each waiting connection. */
  #closeLate(): void {
    let count = this.#waiting.size;
    const latest = performance.now() - this.#options.crowdedMs;
    for (const [socket, beganMs] of this.#pending) {
      if (count-- <= 0 || beganMs > latest) return;
      socket.destroy();
    }
  }

  #oldestOfMost(): Socket | undefined {
    const byOwner = new Map<string | undefined, Socket[]>();
    for (const socket of [...this.#pending.keys(), ...this.#waiting]) {
      if (socket.destroyed) continue;
      const owner = this.#owners.get(socket);
      const sockets = byOwner.get(owner);
      if (sockets === undefined) byOwner.set(owner, [socket]);
      else sockets.push(socket);
    }
    const [most] = [...byOwner.values()].sort((a, b) => b.length - a.length);
    return most?.[0];
  }
}
