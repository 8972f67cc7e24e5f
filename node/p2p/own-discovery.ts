/** The discovery of a node that listens for peers: on the same port, which it tells the others. */
import { type Discovery, type DiscoveryOptions, openDiscovery } from "./discovery/discovery.ts";
import type { P2pError } from "./error.ts";
import type { Listener } from "./listener.ts";

/** What it is made of besides the listener. */
export interface OwnDiscoveryParts
  extends Pick<
    DiscoveryOptions,
    | "nodeKey"
    | "type"
    | "networkId"
    | "bootNodes"
    | "timings"
    | "host"
    | "allows"
    | "resolve"
    | "clock"
    | "log"
    | "random"
  > {
  readonly externalIp: string | undefined;
  /** Whether another port will do when the listener's is taken for UDP. */
  readonly anyPort: boolean;
}

/** Opens it. Rejects, with the listener closed, with `P2pError` `cannot-listen`. */
export async function openOwnDiscovery(parts: OwnDiscoveryParts, listener: Listener): Promise<Discovery> {
  const { anyPort, externalIp } = parts;
  const announce = { ip: externalIp, tcpPort: listener.port };
  const openAt = (port: number) => openDiscovery({ ...parts, port, announce });
  try {
    return await openAt(listener.port).catch((error: P2pError) => {
      if (!anyPort) throw error;
      return openAt(0);
    });
  } catch (error) {
    await listener[Symbol.asyncDispose]();
    throw error;
  }
}
