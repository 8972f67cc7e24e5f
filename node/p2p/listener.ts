/** Accepts connections; only so many are set up at once, a few wait, and the rest is turned away. */
import { createServer, type Socket } from "node:net";
import { P2pError } from "./error.ts";

/** Where to listen and what to do with who comes. */
export interface ListenerOptions {
  /** All interfaces when undefined. */
  readonly host: string | undefined;
  readonly port: number;
  /** Handshakes that run at once; as many connections again may wait for one to end. */
  readonly maxPending: number;
  /** Resolves, never rejects, when the connection is set up or given up. */
  readonly setUp: (socket: Socket) => Promise<void>;
}

/** An open listener. */
export interface Listener extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
}

/** Listens. Rejects with `P2pError` `cannot-listen`. */
export async function openListener({ host, port, maxPending, setUp }: ListenerOptions): Promise<Listener> {
  const pending = new Set<Socket>();
  const waiting = new Set<Socket>();
  const begin = async (socket: Socket): Promise<void> => {
    pending.add(socket);
    await setUp(socket);
    pending.delete(socket);
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    void begin(first);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    // Stays for the socket's life: an error without a listener would end the process.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => waiting.delete(socket));
    if (pending.size < maxPending) void begin(socket);
    else if (waiting.size < maxPending) waiting.add(socket);
    else socket.destroy();
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
      for (const socket of [...waiting, ...pending]) socket.destroy();
      await closed;
    },
  };
}
