/**
 * A node among other nodes: accepts connections, keeps static peers connected, finds others, and runs over each
 * session the protocols it is given. It knows no blocks. Comes in: sockets, node URLs, protocol rows. Goes out:
 * peers to the protocols, and what RPC shows of them.
 */
import type { Socket } from "node:net";
import { mapKey } from "../bytes/hex.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Resolve, systemResolve } from "./connect.ts";
import { createDial, createFailureLog } from "./dial.ts";
import { Dialer } from "./dialer.ts";
import type { Discovery, DiscoveryOptions } from "./discovery/discovery.ts";
import { P2pError } from "./error.ts";
import { allowedBy, plainIp } from "./ip.ts";
import { type Listener, type ListenerOptions, openListener } from "./listener.ts";
import { declareDiscoveryMetrics, declareP2pMetrics, type P2pMetrics } from "./metrics.ts";
import type { NodeKey } from "./node-key.ts";
import type { NodeType } from "./node-type.ts";
import { type NodeUrl, parseNodeUrl } from "./node-url.ts";
import { openOwnDiscovery } from "./own-discovery.ts";
import { PeerMemory } from "./peer-memory.ts";
import { PeerSet, type PeerSetParts } from "./peer-set.ts";
import { PeerTime } from "./peer-time.ts";
import type { Peer, PeerEvent, PeerInfo, Protocol } from "./protocol.ts";
import { dynamicPlaces, search } from "./search.ts";
import { type SelfInfo, selfInfo } from "./self-info.ts";
import { SESSION_LIMITS, type SessionLimits } from "./session.ts";
import { type P2pTimings, TIMINGS } from "./timings.ts";

/** What a node among nodes is made of. */
export interface P2pOptions {
  readonly nodeKey: NodeKey;
  readonly type: NodeType;
  /** The client name in hello. */
  readonly name: string;
  /** Undefined: nobody can connect to us. Without a host: all interfaces. Port 0: any free one. */
  readonly listen: ListenPlan | undefined;
  /** In the order in which hello names them. */
  readonly protocols: readonly Protocol[];
  readonly maxPeers: number;
  /** Inbound handshakes that run at once; 50 unless said otherwise. */
  readonly maxPendingPeers?: number | undefined;
  readonly staticNodes: readonly NodeUrl[];
  /** Ids that the limits do not hold for. */
  readonly trustedNodes?: readonly NodeUrl[] | undefined;
  /** How other nodes are found; undefined: they are not. */
  readonly discovery?: DiscoveryFlags | undefined;
  /** The networks to have to do with, as `10.0.0.0/8`; all when undefined. */
  readonly netRestrict?: readonly string[] | undefined;
  /** The address that others know this node by, if that is not the one it listens on. */
  readonly externalIp?: string | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Unpredictable bytes: keys, nonces. */
  readonly random: (length: number) => Uint8Array;
  readonly resolve?: Resolve | undefined;
  readonly timings?: Partial<P2pTimings> | undefined;
  readonly limits?: Partial<SessionLimits> | undefined;
  /** Memory of messages that wait, for all peers. */
  readonly memory?: PeerMemory | undefined;
  /** Time of the main thread, for all peers. */
  readonly time?: PeerTime | undefined;
}

/** Where to listen; with a second port peers that have one too use a connection of its own for transactions. */
export interface ListenPlan {
  readonly host?: string | undefined;
  readonly port: number;
  readonly subPort?: number | undefined;
}

/** What finding other nodes takes. */
export type DiscoveryFlags = Pick<DiscoveryOptions, "networkId" | "bootNodes" | "timings">;

/** Peers by type: `total` always, a type only when there are some. */
export type PeerCounts = { readonly total: number } & { readonly [type in NodeType]?: number };

/** A running network side. Disposing it says goodbye to all peers. */
export interface P2p extends AsyncDisposable {
  readonly self: SelfInfo;
  readonly listening: boolean;
  /** Keeps a node connected from now on; true when the URL can be read. Does not wait. */
  addPeer(url: string): boolean;
  /** Stops keeping it and disconnects it; true when it was a static peer. */
  removePeer(url: string): boolean;
  /** Sorted by id. */
  peers(): PeerInfo[];
  /** The peers themselves, sorted by id. */
  connected(): Peer[];
  countByType(): PeerCounts;
  /** Calls the listener until the function it gives back is called. */
  onPeerEvent(listener: (event: PeerEvent) => void): () => void;
}

/** Starts listening, dialling and searching. Rejects with `P2pError` `cannot-listen`. */
export async function openP2p(options: P2pOptions): Promise<P2p> {
  const { nodeKey, log, resolve = systemResolve, externalIp, memory = new PeerMemory() } = options;
  checkProtocols(options.protocols);
  const timings = { ...TIMINGS, ...options.timings };
  const allows = allowedBy(options.netRestrict);
  const closing = new AbortController();
  const { signal } = closing;
  const listeners: Listener[] = [];
  const set = createPeerSet(options, timings, {
    memory,
    metrics: () => metrics,
    onGone: (id) => dialer.lost(id),
    ports: () => listeners.map(({ port }) => port),
  });
  const metrics = declareP2pMetrics(options.metrics, () => set.list(), memory);
  const isPeer = (id: Uint8Array): boolean => set.find(id) !== undefined;
  const chance = () => Buffer.from(options.random(4)).readUInt32BE() / 2 ** 32;
  const dialer = new Dialer({
    dial: createDial({ resolve, timeoutMs: timings.dialMs, allows, metrics, set, signal }),
    failed: createFailureLog(log, metrics),
    isPeer,
    ownId: nodeKey.id,
    timings,
    clock: options.clock,
    chance,
  });
  listeners.push(...(await openListeners(options, { set, metrics, allows, timings })));
  const [listener] = listeners;
  const discovery = listener && (await discoveryOf(options, { allows, resolve }, listeners));
  declareDiscoveryMetrics(options.metrics, () => discovery?.figures());
  if (discovery !== undefined) {
    const { searchMs } = timings;
    void search({ ...options, discovery, dialer, isPeer, searchMs, chance, signal });
  }
  for (const url of options.staticNodes) dialer.add(url);
  return {
    self: selfInfo({ ...options, id: nodeKey.id }, { listener, discoveryPort: discovery?.port, externalIp }),
    listening: listener !== undefined,
    ...control(set, dialer),
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

/** Rejects, with the listeners closed, when there is no port for it. */
async function discoveryOf(
  options: P2pOptions,
  reach: Pick<DiscoveryOptions, "allows" | "resolve">,
  listeners: readonly Listener[],
): Promise<Discovery | undefined> {
  const { discovery, listen, externalIp } = options;
  const [main] = listeners;
  if (discovery === undefined || main === undefined) return undefined;
  const where = { host: listen?.host, anyPort: listen?.port === 0, externalIp };
  try {
    const parts = { ...options, ...discovery, timings: discovery.timings, ...where, ...reach };
    return await openOwnDiscovery(parts, main.port);
  } catch (error) {
    for (const listener of listeners) await listener[Symbol.asyncDispose]();
    throw error;
  }
}

function createPeerSet(
  options: P2pOptions,
  timings: P2pTimings,
  wires: Pick<PeerSetParts, "memory" | "metrics" | "onGone" | "ports">,
): PeerSet {
  const { nodeKey, type, random, maxPeers } = options;
  const { time = new PeerTime() } = options;
  const trusted = new Set(options.trustedNodes?.map(({ id }) => mapKey(id)));
  return new PeerSet({
    ...wires,
    self: { nodeKey, type, random, timings, time: time.open() },
    time,
    name: options.name,
    protocols: options.protocols,
    maxPeers,
    maxDynamic: options.discovery ? dynamicPlaces(type, maxPeers) : 0,
    isTrusted: (id) => trusted.has(mapKey(id)),
    limits: { ...SESSION_LIMITS, ...options.limits },
    clock: options.clock,
    log: options.log,
  });
}

/** Two rows of one name and version, or no codes at all, would be a mistake in the program. */
function checkProtocols(protocols: readonly Protocol[]): void {
  const names = protocols.map(({ name, version }) => `${name}/${version}`);
  if (new Set(names).size !== names.length || protocols.some(({ length }) => length < 1))
    throw new RangeError(`protocols ${names.join(", ")}: not distinct, or without codes`);
}

interface Reception {
  readonly set: PeerSet;
  readonly metrics: P2pMetrics;
  readonly allows: (ip: string) => boolean;
  readonly timings: P2pTimings;
}

/** The main port's first. Rejects, with none open, when one cannot be had. */
async function openListeners(options: P2pOptions, reception: Reception): Promise<Listener[]> {
  const { listen } = options;
  if (listen === undefined) return [];
  const ports = [listen.port, ...(listen.subPort === undefined ? [] : [listen.subPort])];
  await using opened = new AsyncDisposableStack();
  const listeners: Listener[] = [];
  for (const [place, port] of ports.entries())
    listeners.push(opened.use(await openListener({ ...listenerOptions(options, reception, place), port })));
  opened.move();
  return listeners;
}

function listenerOptions(
  options: P2pOptions,
  { set, metrics, allows, timings }: Reception,
  place: number,
): Omit<ListenerOptions, "port"> {
  return {
    host: options.listen?.host,
    maxPending: options.maxPendingPeers ?? 50,
    crowdedMs: timings.crowdedMs,
    async setUp(socket: Socket) {
      const { remoteAddress } = socket;
      // Without an address it is gone already.
      if (remoteAddress === undefined || !allows(plainIp(remoteAddress))) {
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

type Control = Pick<P2p, "addPeer" | "removePeer" | "peers" | "connected" | "countByType" | "onPeerEvent">;

function control(set: PeerSet, dialer: Dialer): Control {
  return {
    addPeer(text) {
      const url = readUrl(text);
      if (url !== undefined) dialer.add(url);
      return url !== undefined;
    },
    removePeer(text) {
      const url = readUrl(text);
      if (url === undefined) return false;
      const removed = dialer.remove(url.id);
      set.find(url.id)?.disconnect("requested");
      return removed;
    },
    peers: () => set.list().map((peer) => peer.info()),
    connected: () => set.list(),
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
