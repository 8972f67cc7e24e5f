/** A server of sockets that starts on demand: sockets in, each passed on once the server is open. */
import type { Socket } from "node:net";

/** A server of sockets that are given to it; it never listens. */
export interface SocketServer extends AsyncDisposable {
  /** Serves a socket; bytes that were read already must have been put back into it. */
  take(socket: Socket): void;
}

/**
 * Returns a server that the first socket opens, so that an unused one costs neither start-up time nor memory.
 * Sockets wait, unread, until it is open; when opening fails they are closed.
 */
export function lazyServer(open: () => Promise<SocketServer>): SocketServer {
  let opening: Promise<SocketServer> | undefined;
  let opened: SocketServer | undefined;
  return {
    take: (socket) => {
      if (opened !== undefined) return opened.take(socket);
      socket.pause();
      opening ??= open();
      opening.then(
        (server) => {
          opened = server;
          server.take(socket);
        },
        () => socket.destroy(),
      );
    },
    [Symbol.asyncDispose]: async () => {
      const server = await opening?.catch(() => undefined);
      await server?.[Symbol.asyncDispose]();
    },
  };
}
