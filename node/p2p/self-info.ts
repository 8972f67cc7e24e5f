/** Description of this node's own peer-to-peer side, for `admin_nodeInfo`. */
import type { NodeId } from "../bytes/brands.ts";
import { bareHex } from "../bytes/hex.ts";
import type { PeerListener } from "./listener.ts";
import type { NodeType } from "./node-type.ts";
import { hostAndPort, type NodeUrl } from "./node-url.ts";

/** Description of this node. */
export interface SelfInfo {
  /** Node id as 128 hex digits. */
  readonly id: string;
  readonly name: string;
  readonly type: NodeType;
  /** URL as the Go node formats it: without discovery, `discport` is 0 and the type is omitted. */
  readonly url: NodeUrl;
  readonly ip: string;
  readonly ports: { readonly discovery: number; readonly listener: number };
  readonly listenAddr: string;
}

/** Ports and address of this node. */
export interface OwnAddress {
  readonly listener: Pick<PeerListener, "host" | "port"> | undefined;
  /** Undefined while discovery is off. */
  readonly discoveryPort: number | undefined;
  /** Address for other nodes; the listener's when undefined. */
  readonly externalIp: string | undefined;
}

/** Returns the description of this node. */
export function selfInfo(
  self: { readonly id: NodeId; readonly name: string; readonly type: NodeType },
  { listener, discoveryPort, externalIp }: OwnAddress,
): SelfInfo {
  const { id, name, type } = self;
  const ip = listener?.host ?? "::";
  const port = listener?.port ?? 0;
  const url: NodeUrl = {
    id,
    host: externalIp ?? ip,
    tcpPort: port,
    udpPort: discoveryPort ?? 0,
    tcpPorts: [port],
    type: discoveryPort === undefined ? "unknown" : type,
  };
  return {
    id: bareHex(id),
    name,
    type,
    url,
    ip: externalIp ?? ip,
    ports: { discovery: discoveryPort ?? 0, listener: port },
    listenAddr: hostAndPort(ip, port),
  };
}
