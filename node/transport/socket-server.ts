/** A `fastify` app as a server of sockets: it never listens, and it reads each socket in slices. */
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { MemoryBudget } from "../jsonrpc/memory-budget.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import type { SocketServer } from "./lazy-server.ts";
import { pacedSocket } from "./paced-socket.ts";

/** Maximum unread bytes of a server without a budget from its listener. */
const MAX_UNREAD = 4 * 1024 * 1024;

/** Turns an app that does not listen into a server of sockets. */
export function socketServer(app: FastifyInstance, halves = new MemoryBudget(MAX_UNREAD)): SocketServer {
  const { server } = app;
  const sockets = new Set<Socket>();
  const pace = { turns: new TurnQueue(), halves };
  server.emit("listening"); // it never listens itself: this starts its check for slow requests
  return {
    take: (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      server.emit("connection", pacedSocket(socket, pace)); // unread bytes that were put back come first
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
