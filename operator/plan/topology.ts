/** Who keeps whom connected: core and proxy nodes dial core nodes, endpoints dial proxies. */
import { createHash } from "node:crypto";
import type { NodeType } from "../api/node-spec.ts";

/** A node of a network, as the others see it. */
export interface Member {
  readonly name: string;
  readonly network: string;
  readonly type: NodeType;
  /** Undefined until its key is known. */
  readonly url: string | undefined;
}

/** A node that looks for peers. */
export interface Seeker extends Member {
  /** Undefined: as its type does by default. */
  readonly types: readonly NodeType[] | undefined;
  /** Nodes elsewhere. */
  readonly urls: readonly string[];
  readonly maxPeers: number;
}

const DIALS: Readonly<Record<NodeType, readonly NodeType[]>> = {
  core: ["core"],
  proxy: ["core"],
  endpoint: ["proxy"],
};

/** More than this many are never kept: the network is connected long before. */
const MOST_KEPT = 24;

/**
 * The URLs that a node is to keep, sorted. When there are too many, each node takes others than its neighbours
 * do, always the same ones, so that one node more or less changes few connections.
 */
export function peersToKeep(seeker: Seeker, members: readonly Member[]): readonly string[] {
  const types = seeker.types ?? DIALS[seeker.type];
  const urls = members
    .filter(({ name, network }) => network === seeker.network && name !== seeker.name)
    .filter(({ type }) => types.includes(type))
    .flatMap(({ name, url }) => (url === undefined ? [] : [{ url, rank: rank(seeker.name, name) }]))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ url }) => url);
  const room = Math.max(0, Math.min(MOST_KEPT, seeker.maxPeers) - seeker.urls.length);
  return [...new Set([...seeker.urls, ...urls.slice(0, room)])].sort();
}

function rank(from: string, to: string): string {
  return createHash("sha256").update(`${from} ${to}`).digest("hex");
}
