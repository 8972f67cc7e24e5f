/** A wire between two nodes that a test can cut. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Wires to ports of this machine. Disposing them cuts all. */
export interface Relays extends AsyncDisposable {
  /** The port of a new wire to this one. */
  to(port: number): number;
  /** Cuts all wires; who dials meanwhile is turned away. */
  cut(): void;
  mend(): void;
}

/**
 * Relays on some ports that are free; none passes more than `most` bytes each way, after that it is silent. Rejects
 * when a port is not free.
 */
export async function openRelays(ports: readonly number[], most = Number.POSITIVE_INFINITY): Promise<Relays> {
  const targets = new Map<number, number>();
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const servers = ports.map((port) =>
    createServer({ noDelay: true }, (socket) => {
      const target = targets.get(port);
      if (isCut || target === undefined) {
        socket.destroy();
        return;
      }
      const other = keep(connect({ host: "127.0.0.1", port: target, noDelay: true }));
      join(keep(socket), other, most);
      join(other, socket, most);
    }).listen(port, "127.0.0.1"),
  );
  await Promise.all(servers.map((server) => once(server, "listening")));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const free = ports.values();
  return {
    to(target) {
      const { value: port } = free.next();
      if (port === undefined) throw new RangeError("no relay is left");
      targets.set(port, target);
      return port;
    },
    cut,
    mend() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      cut();
      await Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve))));
    },
  };
}

function join(from: Socket, to: Socket, most: number): void {
  from.pipe(to);
  let passed = 0;
  from.on("data", (bytes: Uint8Array) => {
    passed += bytes.length;
    if (passed > most) from.unpipe(to).pause();
  });
  from.once("close", () => to.destroy());
}
