import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { SocketServer } from "./lazy-server.ts";

/** An app that is ready and listens nowhere, as a server of sockets it is given. */
export function socketServer(app: FastifyInstance): SocketServer {
  const { server } = app;
  const sockets = new Set<Socket>();
  server.emit("listening"); // it never listens itself: this starts its check for slow requests
  return {
    take: (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      server.emit("connection", socket);
      socket.resume(); // unread bytes that were put back come first
    },
    [Symbol.asyncDispose]: async () => {
      server.closeIdleConnections();
      for (const socket of sockets) socket.destroySoon();
      server.emit("close");
      await app.close().catch(() => undefined); // a server that never listened says so when it is closed
      for (const socket of sockets) socket.destroy();
    },
  };
}
