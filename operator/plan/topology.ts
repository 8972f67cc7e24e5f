/** Who keeps whom connected: core and proxy nodes dial core nodes, endpoints dial proxies. */
import type { NodeType } from "../api/node-types.ts";

/** A node of a network, as the others see it. */
export interface Member {
  readonly name: string;
  readonly namespace: string;
  readonly network: string;
  readonly type: NodeType;
  /** Other namespaces in which it takes nodes of the same network's name for its own. */
  readonly namespaces: readonly string[];
  /** Undefined until its key is known. */
  readonly url: string | undefined;
}

/** A node that looks for peers. */
export interface Seeker extends Omit<Member, "url"> {
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
const MAX_KEPT = 24;

/**
 * The URLs that a node is to keep, sorted. When there are too many, each node takes those that follow it on a ring of
 * all names: others than its neighbours do, always the same ones, so that one node more or less changes few connections.
 */
export function peersToKeep(seeker: Seeker, members: readonly Member[]): readonly string[] {
  const types = seeker.types ?? DIALS[seeker.type];
  const found = members.flatMap((member) => {
    const { url, type } = member;
    return url !== undefined && types.includes(type) && areTogether(seeker, member)
      ? [{ ...member, url }]
      : [];
  });
  const room = Math.max(0, Math.min(MAX_KEPT, seeker.maxPeers) - seeker.urls.length);
  const urls = (found.length > room ? nextOnRing(seeker, found, room) : found).map(({ url }) => url);
  return [...new Set([...seeker.urls, ...urls])].sort();
}

/** True when both take each other for nodes of one network: across namespaces both have to say so. */
function areTogether(a: Omit<Member, "url">, b: Omit<Member, "url">): boolean {
  if (a.network !== b.network) return false;
  if (a.namespace === b.namespace) return a.name !== b.name;
  return a.namespaces.includes(b.namespace) && b.namespaces.includes(a.namespace);
}

type Found = Member & { readonly url: string };

function nextOnRing(seeker: Seeker, found: readonly Found[], room: number): readonly Found[] {
  const from = placeOf(seeker);
  return found
    .map((member) => ({ member, steps: (placeOf(member) - from) >>> 0 }))
    .sort((a, b) => a.steps - b.steps || (a.member.url < b.member.url ? -1 : 1))
    .slice(0, room)
    .map(({ member }) => member);
}

/** Where a node is on the ring: FNV-1a with 32 bits, and a last mixing, since names often differ in one digit alone. */
function placeOf({ namespace, name }: Pick<Member, "namespace" | "name">): number {
  let hash = 0x811c9dc5;
  for (const letter of `${namespace}/${name}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
