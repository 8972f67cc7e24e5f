/**
 * Which found nodes are dialled: while fewer nodes of a wanted type are dialled than the node's own type asks for,
 * discovery is asked for more. Numbers are the Go node's. Nodes that the operator named without an address are dialled
 * once they are found.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { Dialer, DialKind } from "./dialer.ts";
import type { Discovery } from "./discovery/discovery.ts";
import type { FoundNode } from "./discovery/packets.ts";
import { type Chance, shuffled } from "./discovery/tables.ts";
import type { NodeType } from "./node-type.ts";
import type { NodeUrl } from "./node-url.ts";

interface Want {
  readonly type: NodeType;
  readonly kind: DialKind;
  readonly most: number;
}

const TYPED: Readonly<Record<NodeType, readonly Want[]>> = {
  cn: [{ type: "cn", kind: "typed", most: 100 }],
  pn: [{ type: "pn", kind: "typed", most: 1 }],
  en: [{ type: "pn", kind: "typed", most: 2 }],
  bn: [],
  unknown: [],
};

/** Outbound places that an endpoint node fills with endpoint nodes of its own choice. */
export function dynamicPlaces(type: NodeType, maxPeers: number): number {
  return type === "en" ? Math.floor(maxPeers / 3) : 0;
}

/** What a search works on. */
export interface SearchParts {
  readonly type: NodeType;
  readonly maxPeers: number;
  readonly discovery: Pick<Discovery, "find" | "known">;
  readonly dialer: Pick<Dialer, "add" | "count" | "unplaced" | "place">;
  readonly isPeer: (id: Uint8Array) => boolean;
  readonly searchMs: number;
  readonly chance: Chance;
  readonly signal: AbortSignal;
}

/** Searches until the signal is aborted. Never rejects. */
export async function search(parts: SearchParts): Promise<void> {
  const { type, maxPeers, searchMs, signal } = parts;
  const any: Want = { type: "en", kind: "dynamic", most: dynamicPlaces(type, maxPeers) };
  while (!signal.aborted) {
    place(parts);
    for (const want of [...TYPED[type], any]) await satisfy(parts, want);
    await pause(searchMs, signal);
  }
}

const WITH_ADDRESS: readonly NodeType[] = ["cn", "pn", "en"];

function place({ dialer, discovery }: SearchParts): void {
  for (const id of dialer.unplaced()) {
    const found = WITH_ADDRESS.flatMap((type) => discovery.known(type)).find((node) =>
      equalBytes(node.id, id),
    );
    if (found !== undefined) dialer.place(urlOf(found));
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

/** Half of the free dynamic places are for nodes that are known already, the rest for those of a lookup. */
async function satisfy(parts: SearchParts, want: Want): Promise<void> {
  const { discovery, dialer, signal } = parts;
  const free = (): number => want.most - dialer.count(want.kind);
  if (free() <= 0) return;
  if (want.kind === "dynamic") take(parts, want, discovery.known(want.type), Math.ceil(free() / 2));
  if (free() <= 0) return;
  const found = await discovery.find(want.type);
  if (!signal.aborted) take(parts, want, found, free());
}

function take(parts: SearchParts, { kind }: Want, found: readonly FoundNode[], most: number): void {
  const { dialer, isPeer, chance } = parts;
  const before = dialer.count(kind);
  for (const node of shuffled(found, chance)) {
    if (dialer.count(kind) - before >= most) return;
    if (kind === "typed" || !isPeer(node.id)) dialer.add(urlOf(node), kind);
  }
}

function urlOf({ id, ip, udpPort, tcpPort, type }: FoundNode): NodeUrl {
  return { id, host: ip, udpPort, tcpPort, tcpPorts: [tcpPort], type };
}
