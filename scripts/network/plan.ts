/** A network on this machine: who is in it, with which keys and ports, and who keeps connected to whom. */
import { bareHex } from "../../node/bytes/hex.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { type NodeKey, nodeKeyOf } from "../../node/p2p/node-key.ts";

/** Number of nodes by type. */
export interface NetworkSize {
  readonly core: number;
  readonly proxy: number;
  readonly endpoint: number;
}

/** One node of the network. */
export interface PlannedNode {
  /** `core-0`, `proxy-1`: the name of its directory too. */
  readonly name: string;
  readonly type: keyof NetworkSize;
  readonly key: NodeKey;
  /** For peers. */
  readonly port: number;
  readonly rpcPort: number;
  /** The names of those that it keeps connected to. */
  readonly peers: readonly string[];
}

/** Two ports for each node are taken from `ports`, first those for peers. */
export function planNetwork(size: NetworkSize, ports: readonly number[]): PlannedNode[] {
  const types = ["core", "proxy", "endpoint"] as const;
  const named = types.flatMap((type) =>
    Array.from({ length: size[type] }, (_, place) => ({ name: `${type}-${place}`, type })),
  );
  return named.map(({ name, type }, place) => ({
    name,
    type,
    key: nodeKeyOf(keccak256(Buffer.from(`knit test network ${name}`))),
    port: ports[place] ?? 0,
    rpcPort: ports[named.length + place] ?? 0,
    peers: named.filter((other) => other.name !== name && keeps(type, other.type, size)).map(nameOf),
  }));
}

/** Number of ports that a network uses. */
export function portsOf({ core, proxy, endpoint }: NetworkSize): number {
  return 2 * (core + proxy + endpoint);
}

/** Core nodes and proxies know all core nodes, proxies each other, endpoints the proxies, or who there is. */
function keeps(own: keyof NetworkSize, other: keyof NetworkSize, { core, proxy }: NetworkSize): boolean {
  if (own === "core") return other === "core";
  if (own === "proxy") return other !== "endpoint";
  if (proxy > 0) return other === "proxy";
  return core > 0 && other === "core";
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** The node's URL on loopback. */
export function urlOf({ key, port }: PlannedNode): string {
  return `kni://${bareHex(key.id)}@127.0.0.1:${port}?discport=0`;
}
