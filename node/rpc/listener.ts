/** What every listener has in common. */
import type { AddressInfo, Server } from "node:net";

/** An open listener. Disposing stops it; answers in the making are still written. */
export interface Listener extends AsyncDisposable {
  /** What a client connects to. */
  readonly url: string;
  /** `host:port`, or the path of a socket. */
  readonly address: string;
}

/** Where a TCP listener listens; port 0 takes a free one. */
export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/** Starts listening; `host:port` of what it got. Rejects with the system's error when the address cannot be had. */
export function listenOn(server: Server, { host, port }: TcpAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      server.on("error", () => undefined); // a failed accept must not end the process
      const { address, family, port: got } = server.address() as AddressInfo; // it listens on TCP
      resolve(`${family === "IPv6" ? `[${address}]` : address}:${got}`);
    });
  });
}
