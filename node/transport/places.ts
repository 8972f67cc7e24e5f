/**
 * Places for the connections of a listener. When all are taken, the address with the most connections loses its
 * oldest one for an address with fewer, so that no stranger can occupy a listener.
 */
import type { Socket } from "node:net";
import { ownerOfIp } from "../bytes/ip.ts";

/** Returns the name under which connections of one client are counted together: its address, or its IPv6 network. */
export function clientOf({ remoteAddress = "" }: Pick<Socket, "remoteAddress">): string | undefined {
  return ownerOfIp(remoteAddress);
}

/** The places of a listener. */
export class Places {
  readonly #max: number;
  /** Connections by client, the oldest first. */
  readonly #clients = new Map<string | undefined, Set<Socket>>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a place until the socket closes. Returns false when there is none for its client. */
  take(socket: Socket): boolean {
    const client = clientOf(socket);
    const own = this.#clients.get(client) ?? new Set();
    if (this.#count >= this.#max && !this.#makeRoom(own.size)) return false;
    this.#clients.set(client, own);
    own.add(socket);
    this.#count++;
    socket.once("close", () => this.#leave(client, socket));
    return true;
  }

  /** Ends a connection of the client with the most, when that client has at least two more than `count`. */
  #makeRoom(count: number): boolean {
    let most = count + 1;
    let greediest: string | undefined;
    let oldest: Socket | undefined;
    for (const [client, sockets] of this.#clients) {
      if (sockets.size <= most) continue;
      most = sockets.size;
      greediest = client;
      [oldest] = sockets;
    }
    if (oldest === undefined) return false;
    oldest.destroy();
    this.#leave(greediest, oldest);
    return true;
  }

  #leave(client: string | undefined, socket: Socket): void {
    const sockets = this.#clients.get(client);
    if (sockets?.delete(socket) !== true) return;
    this.#count--;
    if (sockets.size === 0) this.#clients.delete(client);
  }
}
