/**
 * Selects discovered nodes to dial. While the node has fewer peers of a type than its own type wants,
 * discovery is queried. The numbers are the Go node's (networks/p2p/server.go@v2.2.2). Static nodes without
 * an address are dialled once discovered.
 */
import type { NodeId } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { Dialer, DialKind } from "./dialer.ts";
import type { Discovery } from "./discovery/discovery.ts";
import type { FoundNode } from "./discovery/packets.ts";
import { type RandomFraction, shuffle } from "./discovery/tables.ts";
import type { NodeType } from "./node-type.ts";
import type { NodeUrl } from "./node-url.ts";

interface PeerTarget {
  readonly type: NodeType;
  readonly kind: DialKind;
  readonly max: number;
}

const TYPED_TARGETS: Readonly<Record<NodeType, readonly PeerTarget[]>> = {
  cn: [{ type: "cn", kind: "typed", max: 100 }],
  pn: [{ type: "pn", kind: "typed", max: 1 }],
  en: [{ type: "pn", kind: "typed", max: 2 }],
  bn: [],
  unknown: [],
};

/** Returns the number of dynamic outbound slots. Only endpoint nodes have them. */
export function dynamicSlots(type: NodeType, maxPeers: number): number {
  return type === "en" ? Math.floor(maxPeers / 3) : 0;
}

/** Dependencies of the search. */
export interface SearchDeps {
  readonly type: NodeType;
  readonly maxPeers: number;
  readonly discovery: Pick<Discovery, "find" | "nodes">;
  readonly dialer: Pick<Dialer, "add" | "count" | "unresolvedIds" | "setAddress">;
  readonly isPeer: (id: NodeId) => boolean;
  readonly searchMs: number;
  readonly randomFraction: RandomFraction;
  readonly signal: AbortSignal;
}

/** Searches until the signal is aborted. Never rejects. */
export async function search(deps: SearchDeps): Promise<void> {
  const { type, maxPeers, searchMs, signal } = deps;
  const any: PeerTarget = { type: "en", kind: "dynamic", max: dynamicSlots(type, maxPeers) };
  while (!signal.aborted) {
    setAddresses(deps);
    for (const want of [...TYPED_TARGETS[type], any]) await fillSlots(deps, want);
    await pause(searchMs, signal);
  }
}

const WITH_ADDRESS: readonly NodeType[] = ["cn", "pn", "en"];

function setAddresses({ dialer, discovery }: SearchDeps): void {
  for (const id of dialer.unresolvedIds()) {
    const found = WITH_ADDRESS.flatMap((type) => discovery.nodes(type)).find((node) =>
      equalBytes(node.id, id),
    );
    if (found !== undefined) dialer.setAddress(urlOf(found));
  }
}

/** Resolves after the time, or when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/**
 * Fills free slots of one kind. Half of the dynamic slots go to nodes of the tables, the rest to results of a
 * lookup.
 */
async function fillSlots(deps: SearchDeps, want: PeerTarget): Promise<void> {
  const { discovery, dialer, signal } = deps;
  const free = (): number => want.max - dialer.count(want.kind);
  if (free() <= 0) return;
  if (want.kind === "dynamic") dialSome(deps, want, discovery.nodes(want.type), Math.ceil(free() / 2));
  if (free() <= 0) return;
  const found = await discovery.find(want.type);
  if (!signal.aborted) dialSome(deps, want, found, free());
}

function dialSome(deps: SearchDeps, { kind }: PeerTarget, found: readonly FoundNode[], max: number): void {
  const { dialer, isPeer, randomFraction } = deps;
  const before = dialer.count(kind);
  for (const node of shuffle(found, randomFraction)) {
    if (dialer.count(kind) - before >= max) return;
    if (kind === "typed" || !isPeer(node.id)) dialer.add(urlOf(node), kind);
  }
}

function urlOf({ id, ip, udpPort, tcpPort, type }: FoundNode): NodeUrl {
  return { id, host: ip, udpPort, tcpPort, tcpPorts: [tcpPort], type };
}
