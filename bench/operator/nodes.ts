/** The Node objects of the bench: networks of equal size, each in a namespace of its own. */
import { API_VERSION } from "../../operator/api/names.ts";
import type { Draft } from "../../operator/api/resource.ts";

const CORES = 4;
const PROXIES = 8;

/** The ConfigMap with the genesis, which nobody reads here. */
export const GENESIS = { name: "genesis", key: "genesis.json" } as const;

/** Namespaces for so many Nodes, of which `network` make a network. */
export function namespaces(nodes: number, network: number): readonly string[] {
  return Array.from({ length: Math.ceil(nodes / network) }, (_, index) => `bench-${index}`);
}

/** So many Nodes; the first of a network are core nodes and proxies. */
export function nodeDrafts(nodes: number, network: number): readonly Draft[] {
  return Array.from({ length: nodes }, (_, index) => {
    const position = index % network;
    const type = position < CORES ? "core" : position < CORES + PROXIES ? "proxy" : "endpoint";
    const namespace = `bench-${Math.floor(index / network)}`;
    return {
      apiVersion: API_VERSION,
      kind: "Node",
      metadata: { name: `n${position}`, namespace },
      spec: {
        type,
        network: { name: "net", genesis: { configMap: GENESIS } },
        storage: { className: "played" },
      },
    };
  });
}
