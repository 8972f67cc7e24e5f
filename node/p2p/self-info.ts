/** What a node says of its own network side. */
import { bareHex } from "../bytes/hex.ts";
import type { Listener } from "./listener.ts";
import type { NodeType } from "./node-type.ts";
import { hostAndPort, type NodeUrl } from "./node-url.ts";

/** What a node says of its own network side (`admin_nodeInfo`). */
export interface SelfInfo {
  /** 128 hex digits. */
  readonly id: string;
  readonly name: string;
  readonly type: NodeType;
  /** As the Go node writes it: without discovery `discport` is 0, and no type is said. */
  readonly url: NodeUrl;
  readonly ip: string;
  readonly ports: { readonly discovery: number; readonly listener: number };
  readonly listenAddr: string;
}

/** Where a node is, as far as it knows. */
export interface Whereabouts {
  readonly listener: Pick<Listener, "host" | "port"> | undefined;
  /** Undefined: the node is not found by others. */
  readonly discoveryPort: number | undefined;
  /** The address that others know it by; the listener's when undefined. */
  readonly externalIp: string | undefined;
}

/** A node's own information. */
export function selfInfo(
  self: { readonly id: Uint8Array; readonly name: string; readonly type: NodeType },
  { listener, discoveryPort, externalIp }: Whereabouts,
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
