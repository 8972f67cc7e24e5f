/** What every listener has in common. */
import type { AddressInfo, Server } from "node:net";

/** An open listener. Disposing stops it; answers in the making are still written. */
export interface Listener extends AsyncDisposable {
  /** What a client connects to. */
  readonly url: string;
  /** `host:port`, or the path of a socket. */
  readonly address: string;
  /** Accepts nobody from now on: the address is free at once, those connected are served on. */
  retire(): void;
}

/** Where a TCP listener listens; port 0 takes a free one. */
export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/** A server that listens. */
export interface Bound {
  /** `host:port` of what it got. */
  readonly address: string;
  /** Accepts nobody from now on; resolves when the last connection has gone. May be called again. */
  close(): Promise<void>;
}

/** Starts listening. Rejects with the system's error when the address cannot be had. */
export function listenOn(server: Server, { host, port }: TcpAddress): Promise<Bound> {
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

/** Closes a server, however often it is called; resolves when the last connection has gone. */
export function closerOf(server: Server): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
    });
    return closing;
  };
}

/** Whether only this machine can reach an address as `Listener` gives it. */
export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address.startsWith("[::1]:");
}
