import type { Socket } from "node:net";

/** Serves sockets that it is given; it never listens itself. */
export interface SocketServer extends AsyncDisposable {
  /** Bytes that were read already have been put back into the socket. */
  take(socket: Socket): void;
}

/**
 * A server that is opened by the first socket it gets: what most nodes never use costs neither start-up time nor
 * memory. Sockets wait, unread, until it is open; when it cannot be opened they are closed.
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
