/** The common interface of listeners, and TCP servers behind it. */
import type { AddressInfo, Server } from "node:net";

/** An open listener. Disposing stops it after pending answers have been written. */
export interface Listener extends AsyncDisposable {
  /** URL for clients. */
  readonly url: string;
  /** `host:port`, or the path of a socket. */
  readonly address: string;
  /** Stops accepting connections and frees the address at once; open connections continue. */
  retire(): void;
}

/** Address of a TCP listener; port 0 takes a free one. */
export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/** A server that listens. */
export interface Bound {
  /** The actual `host:port`. */
  readonly address: string;
  /** Stops accepting connections; resolves when the last one has closed. May be called again. */
  close(): Promise<void>;
}

/** A TCP address, or a port of all interfaces. */
export interface TcpPlace extends Pick<TcpAddress, "port"> {
  /** Undefined for all interfaces, over IPv6 too where the machine has it. */
  readonly host: string | undefined;
}

/** Starts listening. Rejects with the system's error when the address is not available. */
export function listenOn(server: Server, { host, port }: TcpPlace): Promise<Bound> {
  const close = closerOf(server);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      server.on("error", () => undefined); // a failed accept must not end the process
      const { address, family, port: got } = server.address() as AddressInfo; // it listens on TCP
      resolve({ address: `${family === "IPv6" ? `[${address}]` : address}:${got}`, close });
    });
  });
}

/**
 * Returns a function that closes a server, safe to call again; it resolves when the last connection has
 * closed.
 */
export function closerOf(server: Server): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
    });
    return closing;
  };
}

/** Reports if only this machine can reach an address in the form of `Listener.address`. */
export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address.startsWith("[::1]:");
}
