/**
 * Peers in a network: validators and proxies dial core nodes, endpoints dial proxies. Validators accept no core node
 * outside of the council, so such a node dials proxies.
 */
import type { NodeType } from "../api/node-types.ts";

/** A node of a network. */
export interface PeerCandidate {
  readonly name: string;
  readonly namespace: string;
  readonly network: string;
  readonly type: NodeType;
  /** Other namespaces whose nodes of the same network name are peers. */
  readonly namespaces: readonly string[];
  /** Undefined until its key exists. */
  readonly url: string | undefined;
  /** True for a core node outside of the council. */
  readonly isStandby: boolean;
}

/** A node whose peers are computed. */
export interface Seeker extends Omit<PeerCandidate, "url"> {
  /** Undefined: the default of its type. */
  readonly types: readonly NodeType[] | undefined;
  /** URLs of further peers. */
  readonly urls: readonly string[];
  readonly maxPeers: number;
}

const DIALS: Readonly<Record<NodeType, readonly NodeType[]>> = {
  core: ["core"],
  proxy: ["core"],
  endpoint: ["proxy"],
};

const STANDBY_DIALS: readonly NodeType[] = ["proxy"];

/** Maximum number of required peers, which suffices to connect the network. */
const MAX_KEPT = 24;

/**
 * Returns the URLs of required peers, sorted. Above the limit each node takes its successors on a ring of all
 * names, so that an added or removed node changes few connections.
 */
export function peersToKeep(seeker: Seeker, members: readonly PeerCandidate[]): readonly string[] {
  const types = seeker.types ?? (seeker.isStandby ? STANDBY_DIALS : DIALS[seeker.type]);
  const found = members.flatMap((member) => {
    const { url, type } = member;
    const isDialled = types.includes(type) && areTogether(seeker, member) && !areRefused(seeker, member);
    return url !== undefined && isDialled ? [{ ...member, url }] : [];
  });
  const room = Math.max(0, Math.min(MAX_KEPT, seeker.maxPeers) - seeker.urls.length);
  const urls = (found.length > room ? nextOnRing(seeker, found, room) : found).map(({ url }) => url);
  return [...new Set([...seeker.urls, ...urls])].sort();
}

/** True for nodes of one network; across namespaces both must list the other's namespace. */
function areTogether(a: Omit<PeerCandidate, "url">, b: Omit<PeerCandidate, "url">): boolean {
  if (a.network !== b.network) return false;
  if (a.namespace === b.namespace) return a.name !== b.name;
  return a.namespaces.includes(b.namespace) && b.namespaces.includes(a.namespace);
}

/** True for two core nodes of which one is outside of the council: they drop each other. */
function areRefused(a: Pick<Seeker, "type" | "isStandby">, b: Pick<Seeker, "type" | "isStandby">): boolean {
  return a.type === "core" && b.type === "core" && (a.isStandby || b.isStandby);
}

type Found = PeerCandidate & { readonly url: string };

function nextOnRing(seeker: Seeker, found: readonly Found[], room: number): readonly Found[] {
  const from = placeOf(seeker);
  return found
    .map((member) => ({ member, steps: (placeOf(member) - from) >>> 0 }))
    .sort((a, b) => a.steps - b.steps || (a.member.url < b.member.url ? -1 : 1))
    .slice(0, room)
    .map(({ member }) => member);
}

/**
 * Returns the position on the ring: FNV-1a with 32 bits and a final mix, because names often differ in one
 * digit.
 */
function placeOf({ namespace, name }: Pick<PeerCandidate, "namespace" | "name">): number {
  let hash = 0x811c9dc5;
  for (const letter of `${namespace}/${name}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
