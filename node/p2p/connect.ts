/** Opens TCP connections to nodes. A host name is resolved for every connection. */
import { connect, isIP, type Socket } from "node:net";
import { plainIp } from "../bytes/ip.ts";
import { P2pError } from "./error.ts";
import type { NodeUrl } from "./node-url.ts";

/** Resolves a host name to an address. Rejects when it has none. */
export type Resolve = (host: string) => Promise<string>;

/** Resolver of the operating system. */
export const systemResolve: Resolve = async (host) => {
  const { lookup } = process.getBuiltinModule("node:dns/promises"); // no part of every start
  return (await lookup(host)).address;
};

/** Returns the address of a host, which is an address or a name. */
export async function resolveHost(host: string, resolve: Resolve): Promise<string> {
  return plainIp(isIP(host) === 0 ? await resolve(host) : host);
}

/** Options of a connection. */
export interface ConnectOptions {
  /** Selects the addresses that may be dialled; all by default. */
  readonly allows?: (ip: string) => boolean;
  readonly resolve: Resolve;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Connects to a node. Rejects with `P2pError` `closed`, `timeout` or `refused`. */
export async function connectTo({ host, tcpPort }: NodeUrl, options: ConnectOptions): Promise<Socket> {
  const { resolve, timeoutMs, signal, allows = () => true } = options;
  if (host === undefined) throw new P2pError("closed", "a node without an address");
  const expired = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, expired]);
  try {
    const address = await orAbort(resolveHost(host, resolve), either);
    if (!allows(address)) throw new P2pError("refused", `${address} is excluded by the network restriction`);
    return await openSocket(address, tcpPort, either);
  } catch (cause) {
    if (cause instanceof P2pError) throw cause;
    if (expired.aborted)
      throw new P2pError("timeout", `${host} did not answer for ${timeoutMs} ms`, { cause });
    throw new P2pError("closed", `cannot connect to ${host}: ${(cause as Error).message}`, { cause });
  }
}

function openSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  const opened = new Promise<Socket>((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    // Stays for the socket's life: an error without a listener would end the process.
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("closed")));
  });
  return orAbort(opened, signal).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
}

function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
