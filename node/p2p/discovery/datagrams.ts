/** UDP socket of discovery, dual-stack where the operating system supports it. */
import type { Socket } from "node:dgram";
import { isIPv4 } from "node:net";
import { plainIp } from "../../bytes/ip.ts";
import { P2pError } from "../error.ts";
import type { UdpAddress } from "./exchange.ts";

/** An open UDP socket. `send` may lose packets and never throws: a packet to an impossible address is lost as well. */
export interface Datagrams extends AsyncDisposable {
  readonly port: number;
  send(bytes: Uint8Array, to: UdpAddress): void;
}

/** Opens a socket, on all addresses when `host` is undefined. Rejects with `P2pError` `cannot-listen`. */
export type OpenDatagrams = (
  where: { readonly host: string | undefined; readonly port: number },
  receive: (bytes: Uint8Array, from: UdpAddress) => void,
) => Promise<Datagrams>;

/** Opens a socket of the operating system. */
export const openDatagrams: OpenDatagrams = async ({ host, port }, receive) => {
  const wide = host === undefined || !isIPv4(host);
  const socket = await bind(wide ? "udp6" : "udp4", port, host).catch((error: NodeJS.ErrnoException) => {
    if (host !== undefined || error.code !== "EAFNOSUPPORT") throw cannotListen(error);
    return bind("udp4", port, host).catch((second: Error) => {
      throw cannotListen(second);
    });
  });
  const mapped = socket.address().family === "IPv6";
  socket.on("message", (bytes, from) => receive(bytes, { ip: plainIp(from.address), port: from.port }));
  return {
    port: socket.address().port,
    send({ buffer, byteOffset, length }, to) {
      const view = new Uint8Array(buffer, byteOffset, length);
      const address = mapped && isIPv4(to.ip) ? `::ffff:${to.ip}` : to.ip;
      try {
        socket.send(view, to.port, address, () => undefined);
      } catch {
        // Port 0 and a closed socket are reported here, all other failures to the callback.
      }
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => void socket.close(() => resolve())),
  };
};

function bind(type: "udp4" | "udp6", port: number, host: string | undefined): Promise<Socket> {
  const { createSocket } = process.getBuiltinModule("node:dgram"); // no part of every start
  const socket = createSocket({ type });
  return new Promise((resolve, reject) => {
    // Stays for the socket's life: an error without a listener would end the process.
    socket.on("error", (error) => {
      reject(error);
    });
    socket.bind({ port, ...(host === undefined ? {} : { address: host }) }, () => resolve(socket));
  });
}

function cannotListen(cause: Error): P2pError {
  return new P2pError("cannot-listen", `cannot listen for discovery: ${cause.message}`, { cause });
}
