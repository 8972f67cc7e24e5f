/**
 * Peer-to-peer side of a node: accepts connections, keeps static peers connected, discovers others and runs
 * the given protocols over each session. It knows nothing about blocks. Comes in: sockets, node URLs,
 * protocol rows. Goes out: peers for the protocols, and their description for RPC.
 */

import type { Socket } from "node:net";
import type { Address, NodeId } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { ownerOfIp, plainIp } from "../bytes/ip.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import { FairTime } from "../runtime/fair-time.ts";
import { createOwnerRate, type OwnerRates } from "../runtime/owner-rate.ts";
import { SESSION_LIMITS, type SessionLimits } from "./budget.ts";
import { type Resolve, systemResolve } from "./connect.ts";
import { createDial, createFailureLog } from "./dial.ts";
import { Dialer } from "./dialer.ts";
import { type Discovery, type DiscoveryOptions, openDiscovery } from "./discovery/discovery.ts";
import { P2pError } from "./error.ts";
import { createAddressFilter, isOwnMachine } from "./ip.ts";
import { type ListenerOptions, openListener, type PeerListener } from "./listener.ts";
import { declareDiscoveryMetrics, declareP2pMetrics, type P2pMetrics } from "./metrics.ts";
import type { NodeKey } from "./node-key.ts";
import type { NodeType } from "./node-type.ts";
import { type NodeUrl, parseNodeUrl } from "./node-url.ts";
import { DEFAULT_PENDING_PEERS } from "./options.ts";
import { PeerMemory } from "./peer-memory.ts";
import { PeerSet, type PeerSetDeps } from "./peer-set.ts";
import type { Peer, PeerEvent, PeerInfo, Protocol } from "./protocol.ts";
import { dynamicSlots, search } from "./search.ts";
import { type SelfInfo, selfInfo } from "./self-info.ts";
import { StaticNodes } from "./static-nodes.ts";
import { P2P_TIMINGS, type P2pTimings } from "./timings.ts";

/** Options of the peer-to-peer side. */
export interface P2pOptions {
  readonly nodeKey: NodeKey;
  readonly type: NodeType;
  /** Client name for hello. */
  readonly name: string;
  /**
   * Listening ports. The node accepts no connections when undefined. All interfaces without a host; port 0
   * selects a free one.
   */
  readonly listen: ListenOptions | undefined;
  /** Protocols in the order of hello. */
  readonly protocols: readonly Protocol[];
  readonly maxPeers: number;
  /** Maximum number of concurrent inbound handshakes; 50 by default. */
  readonly maxPendingPeers?: number | undefined;
  readonly staticNodes: readonly NodeUrl[];
  /** Nodes that are exempt from the peer limits. */
  readonly trustedNodes?: readonly NodeUrl[] | undefined;
  /** Returns true for the node address of a validator, which never gives up its slot; false by default. */
  readonly isValidator?: ((address: Address) => boolean) | undefined;
  /** Discovery of other nodes; off when undefined. */
  readonly discovery?: P2pDiscoveryOptions | undefined;
  /** CIDR ranges to communicate with; all addresses when undefined. */
  readonly netRestrict?: readonly string[] | undefined;
  /** Address that other nodes reach this one by, if it differs from the listening address. */
  readonly externalIp?: string | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Cryptographically secure random bytes. */
  readonly random: (length: number) => Uint8Array;
  readonly resolve?: Resolve | undefined;
  readonly timings?: Partial<P2pTimings> | undefined;
  readonly limits?: Partial<SessionLimits> | undefined;
  /** Memory budget of waiting messages, for all peers. */
  readonly memory?: PeerMemory | undefined;
  /** Share of the main thread's time, for all peers. */
  readonly time?: FairTime | undefined;
}

/** Listening ports. With a second port, multichannel peers use a separate connection for transactions. */
export interface ListenOptions {
  readonly host?: string | undefined;
  readonly port: number;
  readonly subPort?: number | undefined;
}

/** Options of discovery that the operator chooses. */
export type P2pDiscoveryOptions = Pick<DiscoveryOptions, "networkId" | "bootNodes" | "timings">;

/** Number of peers in total, and of each type that is present. */
export type PeerCounts = { readonly total: number } & { readonly [type in NodeType]?: number };

/** A running peer-to-peer side. Disposing it disconnects all peers. */
export interface P2p extends AsyncDisposable {
  readonly self: SelfInfo;
  readonly listening: boolean;
  /** Adds a static node without waiting for it. Returns false for an invalid URL. */
  addPeer(url: string): boolean;
  /** Removes a static node and disconnects it. Returns true when it was one. */
  removePeer(url: string): boolean;
  /** Replaces the list of static nodes that it was opened with; see `StaticNodes.replace`. */
  setStaticNodes(nodes: readonly NodeUrl[]): void;
  /** Returns the descriptions of all peers, sorted by id. */
  peers(): PeerInfo[];
  /** Returns all peers, sorted by id. */
  connectedPeers(): Peer[];
  countByType(): PeerCounts;
  /** Adds a listener for peer events. The returned function removes it. */
  onPeerEvent(listener: (event: PeerEvent) => void): () => void;
}

/** Starts listening, dialling and searching. Rejects with `P2pError` `cannot-listen`. */
export async function openP2p(options: P2pOptions): Promise<P2p> {
  const { nodeKey, log, resolve = systemResolve, externalIp, memory = new PeerMemory() } = options;
  checkProtocols(options.protocols);
  const timings = { ...P2P_TIMINGS, ...options.timings };
  const allows = createAddressFilter(options.netRestrict);
  const closing = new AbortController();
  const { signal } = closing;
  const listeners: PeerListener[] = [];
  const set = createPeerSet(options, timings, {
    memory,
    metrics: () => metrics,
    onGone: (id) => dialer.redial(id),
    ports: () => listeners.map(({ port }) => port),
  });
  const metrics = declareP2pMetrics(options.metrics, () => set.list(), memory);
  const isPeer = (id: NodeId): boolean => set.find(id) !== undefined;
  const randomFraction = () => Buffer.from(options.random(4)).readUInt32BE() / 2 ** 32;
  const dialer = new Dialer({
    dial: createDial({ resolve, timeoutMs: timings.dialMs, allows, metrics, set, signal }),
    onFailure: createFailureLog(log, metrics),
    isPeer,
    ownId: nodeKey.id,
    timings,
    clock: options.clock,
    randomFraction,
  });
  listeners.push(...(await openListeners(options, { set, metrics, allows, timings })));
  const [listener] = listeners;
  const discovery = listener && (await openOwnDiscovery(options, { allows, resolve }, listeners));
  declareDiscoveryMetrics(options.metrics, () => discovery?.stats());
  if (discovery !== undefined) {
    const { searchMs } = timings;
    void search({ ...options, discovery, dialer, isPeer, searchMs, randomFraction, signal });
  }
  const staticNodes = new StaticNodes(dialer);
  staticNodes.replace(options.staticNodes);
  return {
    self: selfInfo({ ...options, id: nodeKey.id }, { listener, discoveryPort: discovery?.port, externalIp }),
    listening: listener !== undefined,
    ...peerControl(set, staticNodes),
    async [Symbol.asyncDispose]() {
      dialer[Symbol.dispose]();
      closing.abort(new P2pError("closed", "the node is shutting down"));
      const closed = Promise.all(
        [...listeners, discovery].map(async (each) => each?.[Symbol.asyncDispose]()),
      );
      await set[Symbol.asyncDispose]();
      await closed;
    },
  };
}

/** Opens discovery on the main listener's port. Closes the listeners when that fails. */
async function openOwnDiscovery(
  options: P2pOptions,
  reach: Pick<DiscoveryOptions, "allows" | "resolve">,
  listeners: readonly PeerListener[],
): Promise<Discovery | undefined> {
  const { discovery, listen, externalIp, nodeKey, type, clock, log, random } = options;
  const [main] = listeners;
  if (discovery === undefined || main === undefined) return undefined;
  const announce = { ip: externalIp, tcpPort: main.port };
  const node = { nodeKey, type, clock, log, random, host: listen?.host, announce };
  const openAt = (port: number) => openDiscovery({ ...node, ...discovery, ...reach, port });
  try {
    return await openAt(main.port).catch((error: P2pError) => {
      if (listen?.port !== 0) throw error; // any UDP port will do when the TCP port was chosen freely
      return openAt(0);
    });
  } catch (error) {
    for (const listener of listeners) await listener[Symbol.asyncDispose]();
    throw error;
  }
}

function createPeerSet(
  options: P2pOptions,
  timings: P2pTimings,
  wires: Pick<PeerSetDeps, "memory" | "metrics" | "onGone" | "ports">,
): PeerSet {
  const { nodeKey, type, random, maxPeers } = options;
  const { time = new FairTime("peers"), isValidator = () => false } = options;
  const trusted = new Set(options.trustedNodes?.map(({ id }) => mapKey(id)));
  return new PeerSet({
    ...wires,
    self: { nodeKey, type, random, timings, time: time.open() },
    time,
    name: options.name,
    protocols: options.protocols,
    maxPeers,
    maxDynamic: options.discovery ? dynamicSlots(type, maxPeers) : 0,
    isTrusted: (id) => trusted.has(mapKey(id)),
    isValidator,
    limits: { ...SESSION_LIMITS, ...options.limits },
    clock: options.clock,
    log: options.log,
  });
}

/** Throws `RangeError` for duplicate rows or rows without codes: a mistake in the program. */
function checkProtocols(protocols: readonly Protocol[]): void {
  const names = protocols.map(({ name, version }) => `${name}/${version}`);
  if (new Set(names).size !== names.length || protocols.some(({ length }) => length < 1))
    throw new RangeError(`protocols ${names.join(", ")}: not distinct, or without codes`);
}

interface ListenerDeps {
  readonly set: PeerSet;
  readonly metrics: P2pMetrics;
  readonly allows: (ip: string) => boolean;
  readonly timings: P2pTimings;
}

/** Opens the listeners, the main port's first. Closes all of them when one fails. */
async function openListeners(options: P2pOptions, deps: ListenerDeps): Promise<PeerListener[]> {
  const { listen } = options;
  if (listen === undefined) return [];
  const ports = [listen.port, ...(listen.subPort === undefined ? [] : [listen.subPort])];
  await using opened = new AsyncDisposableStack();
  const listeners: PeerListener[] = [];
  for (const [place, port] of ports.entries())
    listeners.push(opened.use(await openListener({ ...listenerOptions(options, deps, place), port })));
  opened.move();
  return listeners;
}

function listenerOptions(
  options: P2pOptions,
  { set, metrics, allows, timings }: ListenerDeps,
  place: number,
): Omit<ListenerOptions, "port"> {
  const mayShake = createHandshakeLimit(options.clock);
  return {
    host: options.listen?.host,
    maxPending: options.maxPendingPeers ?? DEFAULT_PENDING_PEERS,
    crowdedMs: timings.crowdedMs,
    async setUp(socket: Socket) {
      const { remoteAddress } = socket;
      // Without an address the socket is closed already.
      if (
        remoteAddress === undefined ||
        !allows(plainIp(remoteAddress)) ||
        !mayShake(plainIp(remoteAddress))
      ) {
        socket.destroy();
        return;
      }
      metrics.inboundConnects.add(1);
      await set
        .receive(socket, place)
        .catch((error: Error) =>
          options.log.debug({ remoteAddress, error: error.message }, "inbound connection failed"),
        );
    },
  };
}

/** Rates of inbound handshakes, each of which is several operations on the curve. A Go node redials every 30 s. */
const HANDSHAKE_RATES: OwnerRates = {
  each: { perSecond: 4, burst: 60 },
  all: { perSecond: 150, burst: 600 },
  owners: 4096,
};

/** Counts the handshakes of an address; other processes of this machine are no strangers. */
export function createHandshakeLimit(clock: Clock): (ip: string) => boolean {
  const limit = createOwnerRate(HANDSHAKE_RATES, clock);
  return (ip) => isOwnMachine(ip) || limit(ownerOfIp(ip) ?? ip);
}

type Control = Omit<P2p, "self" | "listening" | typeof Symbol.asyncDispose>;

function peerControl(set: PeerSet, staticNodes: StaticNodes): Control {
  return {
    addPeer(text) {
      const url = readUrl(text);
      if (url !== undefined) staticNodes.add(url);
      return url !== undefined;
    },
    removePeer(text) {
      const url = readUrl(text);
      if (url === undefined) return false;
      const removed = staticNodes.remove(url.id);
      set.find(url.id)?.disconnect("requested");
      return removed;
    },
    setStaticNodes: (nodes) => staticNodes.replace(nodes),
    peers: () => set.list().map((peer) => peer.info()),
    connectedPeers: () => set.list(),
    countByType() {
      const counts: { total: number } & { [type in NodeType]?: number } = { total: 0 };
      for (const { type } of set.list()) {
        counts.total++;
        counts[type] = (counts[type] ?? 0) + 1;
      }
      return counts;
    },
    onPeerEvent: (listener) => set.onEvent(listener),
  };
}

function readUrl(text: string): NodeUrl | undefined {
  try {
    return parseNodeUrl(text);
  } catch {
    return undefined; // a P2pError: callers that want its text parse the URL themselves
  }
}
