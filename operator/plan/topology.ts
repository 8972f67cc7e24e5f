/** Who keeps whom connected: core and proxy nodes dial core nodes, endpoints dial proxies. */
import { createHash } from "node:crypto";
import type { NodeType } from "../api/node-types.ts";

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
  const found = members
    .filter(({ name, network }) => network === seeker.network && name !== seeker.name)
    .flatMap(({ name, type, url }) => (url !== undefined && types.includes(type) ? [{ name, url }] : []));
  const room = Math.max(0, Math.min(MOST_KEPT, seeker.maxPeers) - seeker.urls.length);
  const urls = (found.length > room ? chosen(seeker.name, found, room) : found).map(({ url }) => url);
  return [...new Set([...seeker.urls, ...urls])].sort();
}

interface Found {
  readonly name: string;
  readonly url: string;
}

/** Those whose names rank first beside the seeker's. */
function chosen(seeker: string, found: readonly Found[], room: number): readonly Found[] {
  const rank = (name: string): string => createHash("sha256").update(`${seeker} ${name}`).digest("hex");
  return found
    .map((each) => ({ ...each, rank: rank(each.name) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, room);
}
