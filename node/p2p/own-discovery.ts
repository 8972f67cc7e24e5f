/** The discovery of a node that listens for peers: on the same port, which it tells the others. */
import { type Discovery, type DiscoveryOptions, openDiscovery } from "./discovery/discovery.ts";
import type { P2pError } from "./error.ts";

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

/** Opens it on the listener's port. Rejects with `P2pError` `cannot-listen`. */
export function openOwnDiscovery(parts: OwnDiscoveryParts, listenerPort: number): Promise<Discovery> {
  const { anyPort, externalIp } = parts;
  const announce = { ip: externalIp, tcpPort: listenerPort };
  const openAt = (port: number) => openDiscovery({ ...parts, port, announce });
  return openAt(listenerPort).catch((error: P2pError) => {
    if (!anyPort) throw error;
    return openAt(0);
  });
}
