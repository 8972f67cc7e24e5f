/**
 * Accepts connections. Only so many are set up at once and as many wait: a handshake that takes long makes way for
 * those that wait, and when all places are taken the oldest connection of the address that has most does.
 */
import { createServer, type Socket } from "node:net";
import { P2pError } from "./error.ts";

/** Where to listen and what to do with who comes. */
export interface ListenerOptions {
  /** All interfaces when undefined. */
  readonly host: string | undefined;
  readonly port: number;
  /** Handshakes that run at once; as many connections again may wait for one to end. */
  readonly maxPending: number;
  /** Milliseconds that a handshake may take while connections wait. */
  readonly crowdedMs: number;
  /** Resolves, never rejects, when the connection is set up or given up. */
  readonly setUp: (socket: Socket) => Promise<void>;
}

/** An open listener. */
export interface Listener extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
}

/** Listens. Rejects with `P2pError` `cannot-listen`. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
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

/** Connections that are being set up, and those that wait for it. Disposing it closes them. */
class HandshakeQueue implements Disposable {
  readonly #options: ListenerOptions;
  /** By age; a closed one stays until its set-up has returned, so that no more than `maxPending` are at work. */
  readonly #pending = new Map<Socket, number>();
  readonly #waiting = new Set<Socket>();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  add(socket: Socket): void {
    const { maxPending } = this.#options;
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

  /** Closes handshakes that have taken long, one for each connection that waits. */
  #closeLate(): void {
    let count = this.#waiting.size;
    const latest = performance.now() - this.#options.crowdedMs;
    for (const [socket, beganMs] of this.#pending) {
      if (count-- <= 0 || beganMs > latest) return;
      socket.destroy();
    }
  }

  #oldestOfMost(): Socket | undefined {
    const byAddress = new Map<string, Socket[]>();
    for (const socket of [...this.#pending.keys(), ...this.#waiting]) {
      if (socket.destroyed) continue;
      const { remoteAddress = "" } = socket;
      const sockets = byAddress.get(remoteAddress);
      if (sockets === undefined) byAddress.set(remoteAddress, [socket]);
      else sockets.push(socket);
    }
    const [most] = [...byAddress.values()].sort((a, b) => b.length - a.length);
    return most?.[0];
  }
}
