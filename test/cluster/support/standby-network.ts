/** A network of four validators, three standby core nodes, a proxy and two endpoints: its manifests, and the intervals of its blocks. */
import type { NetworkView } from "./network-view.ts";

/** Nodes of the validators of block 0. */
export const VALIDATORS = ["core-1", "core-2", "core-3", "core-4"];
/** Core nodes outside of the council. */
export const STANDBY = ["core-5", "core-6", "core-7"];
/** Replicas of the Node `endpoint`. */
export const ENDPOINTS = ["endpoint", "endpoint-m1"];
/** All replicas. */
export const MEMBERS = [...VALIDATORS, ...STANDBY, "proxy", ...ENDPOINTS];

const API = "knit.dev/v1alpha1";

/** Returns the Network `chain` and its Nodes as one document of JSON. */
export function standbyNetwork(): string {
  const create = { chainId: 2_020, validators: VALIDATORS, consensus: { committeeSize: 22 } };
  const defaults = { resources: { requests: { cpu: "50m", memory: "128Mi" } }, settings: { verbosity: "3" } };
  const network = {
    apiVersion: API,
    kind: "Network",
    metadata: { name: "chain" },
    spec: { genesis: { create }, defaults },
  };
  const node = (name: string, spec: object): object => ({
    apiVersion: API,
    kind: "Node",
    metadata: { name },
    spec: { network: { name: "chain" }, ...spec },
  });
  const items = [
    network,
    ...[...VALIDATORS, ...STANDBY].map((name) => node(name, { type: "core" })),
    node("proxy", { type: "proxy" }), // standby nodes get the chain from it
    node("endpoint", { type: "endpoint", replicas: ENDPOINTS.length, peers: { types: ["core"] } }),
  ];
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

/** An interval between two blocks. */
export interface Interval {
  readonly block: number;
  readonly seconds: number;
}

/** Returns the longest interval before a block above `from`, up to `to`, as a replica has them. */
export async function longestInterval(
  network: NetworkView,
  member: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Interval> {
  const times = (await network.blocks(member, to)).map(({ time }) => time);
  let longest: Interval = { block: from, seconds: 0 };
  for (let block = from + 1; block <= to; block++) {
    const seconds = (times[block] ?? 0) - (times[block - 1] ?? 0);
    if (seconds > longest.seconds) longest = { block, seconds };
  }
  return longest;
}
