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
const MOST_KEPT = 24;

/**
 * The URLs that a node is to keep, sorted. When there are too many, each node takes those that follow it on a ring of
 * all names: others than its neighbours do, always the same ones, so that one node more or less changes few connections.
 */
export function peersToKeep(seeker: Seeker, members: readonly Member[]): readonly string[] {
  const types = seeker.types ?? DIALS[seeker.type];
  const room = Math.max(0, Math.min(MOST_KEPT, seeker.maxPeers) - seeker.urls.length);
  const urls = fromRing(ringOf(members), seeker, { types, room });
  return [...new Set([...seeker.urls, ...urls])].sort();
}

/** True when both take each other for nodes of one network: across namespaces both have to say so. */
function areTogether(a: Omit<Member, "url">, b: Omit<Member, "url">): boolean {
  if (a.network !== b.network) return false;
  if (a.namespace === b.namespace) return a.name !== b.name;
  return a.namespaces.includes(b.namespace) && b.namespaces.includes(a.namespace);
}

interface Place {
  readonly at: number;
  readonly member: Member & { readonly url: string };
}

/** A list of members stays the same object while nothing changes: its ring is made once. */
const rings = new WeakMap<readonly Member[], readonly Place[]>();

function ringOf(members: readonly Member[]): readonly Place[] {
  const known = rings.get(members);
  if (known !== undefined) return known;
  const ring = members
    .flatMap((member) => {
      const { url } = member;
      return url === undefined ? [] : [{ at: placeOf(member), member: { ...member, url } }];
    })
    .sort((a, b) => a.at - b.at || (a.member.url < b.member.url ? -1 : 1));
  rings.set(members, ring);
  return ring;
}

function fromRing(
  ring: readonly Place[],
  seeker: Seeker,
  { types, room }: { readonly types: readonly NodeType[]; readonly room: number },
): readonly string[] {
  const from = firstAfter(ring, placeOf(seeker));
  const urls: string[] = [];
  for (let step = 0; step < ring.length && urls.length < room; step++) {
    const member = ring[(from + step) % ring.length]?.member;
    if (member !== undefined && types.includes(member.type) && areTogether(seeker, member))
      urls.push(member.url);
  }
  return urls;
}

function firstAfter(ring: readonly Place[], at: number): number {
  let [low, high] = [0, ring.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ring[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a node is on the ring: FNV-1a with 32 bits, and a last mixing, since names often differ in one digit alone. */
function placeOf({ namespace, name }: Pick<Member, "namespace" | "name">): number {
  let hash = 0x811c9dc5;
  for (const letter of `${namespace}/${name}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
