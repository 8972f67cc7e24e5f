/**
 * A node among other nodes: accepts connections, keeps static peers connected, and runs over each session the
 * protocols it is given. It knows no blocks. Comes in: sockets, node URLs, protocol rows. Goes out: peers to the
 * protocols, and what RPC shows of them.
 */
import type { Socket } from "node:net";
import { bareHex, mapKey } from "../bytes/hex.ts";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { connectTo, type Resolve, systemResolve } from "./connect.ts";
import { Dialer, type Dialled } from "./dialer.ts";
import { P2pError } from "./error.ts";
import { type Listener, openListener } from "./listener.ts";
import { declareP2pMetrics, type P2pMetrics } from "./metrics.ts";
import type { NodeKey } from "./node-key.ts";
import type { NodeType } from "./node-type.ts";
import { hostAndPort, type NodeUrl, parseNodeUrl } from "./node-url.ts";
import { PeerSet } from "./peer-set.ts";
import type { Peer, PeerEvent, PeerInfo, Protocol } from "./protocol.ts";
import { SESSION_LIMITS, type SessionLimits } from "./session.ts";
import { type P2pTimings, TIMINGS } from "./timings.ts";

/** So many failed dials in a row are told to the operator, once. */
const WORTH_A_WARNING = 3;

/** What a node among nodes is made of. */
export interface P2pOptions {
  readonly nodeKey: NodeKey;
  readonly type: NodeType;
  /** The client name in hello. */
  readonly name: string;
  /** Undefined: nobody can connect to us. Without a host: all interfaces. Port 0: any free one. */
  readonly listen: { readonly host?: string | undefined; readonly port: number } | undefined;
  /** In the order in which hello names them. */
  readonly protocols: readonly Protocol[];
  readonly maxPeers: number;
  /** Inbound handshakes that run at once; 50 unless said otherwise. */
  readonly maxPendingPeers?: number | undefined;
  readonly staticNodes: readonly NodeUrl[];
  /** Ids that the limits do not hold for. */
  readonly trustedNodes?: readonly NodeUrl[] | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Unpredictable bytes: keys, nonces. */
  readonly random: (length: number) => Uint8Array;
  readonly resolve?: Resolve | undefined;
  readonly timings?: Partial<P2pTimings> | undefined;
  readonly limits?: Partial<SessionLimits> | undefined;
}

/** What a node says of its own network side (`admin_nodeInfo`). */
export interface SelfInfo {
  /** 128 hex digits. */
  readonly id: string;
  readonly name: string;
  readonly type: NodeType;
  /** As the Go node without discovery writes it: `discport` is 0, and no type is said. */
  readonly url: NodeUrl;
  readonly ip: string;
  readonly ports: { readonly discovery: number; readonly listener: number };
  readonly listenAddr: string;
}

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

/** Starts listening and dialling. Rejects with `P2pError` `cannot-listen`. */
export async function openP2p(options: P2pOptions): Promise<P2p> {
  const { nodeKey, protocols, log } = options;
  checkProtocols(protocols);
  const timings = { ...TIMINGS, ...options.timings };
  const trusted = new Set(options.trustedNodes?.map(({ id }) => mapKey(id)));
  const closing = new AbortController();
  const set = new PeerSet({
    self: { nodeKey, type: options.type, random: options.random, timings },
    name: options.name,
    protocols,
    maxPeers: options.maxPeers,
    isTrusted: (id) => trusted.has(mapKey(id)),
    limits: { ...SESSION_LIMITS, ...options.limits },
    clock: options.clock,
    log,
    metrics: () => metrics,
    onGone: (id) => dialer.lost(id),
  });
  const metrics = declareP2pMetrics(options.metrics, () => set.list());
  const dial = createDial({ options, timings, metrics, set, signal: closing.signal });
  const dialer = new Dialer({
    dial,
    failed: createFailureLog(log, metrics),
    isPeer: (id) => set.find(id) !== undefined,
    ownId: nodeKey.id,
    timings,
    clock: options.clock,
    chance: () => (options.random(1)[0] ?? 0) / 256,
  });
  const listener = options.listen && (await openListener(listenerOptions(options, set, metrics)));
  for (const url of options.staticNodes) dialer.add(url);
  return {
    self: selfInfo(options, listener),
    listening: listener !== undefined,
    ...control(set, dialer),
    async [Symbol.asyncDispose]() {
      dialer[Symbol.dispose]();
      closing.abort(new P2pError("closed", "the node is shutting down"));
      const closed = listener?.[Symbol.asyncDispose]();
      await set[Symbol.asyncDispose]();
      await closed;
    },
  };
}

/** Two rows of one name and version, or no codes at all, would be a mistake in the program. */
function checkProtocols(protocols: readonly Protocol[]): void {
  const names = protocols.map(({ name, version }) => `${name}/${version}`);
  if (new Set(names).size !== names.length || protocols.some(({ length }) => length < 1))
    throw new RangeError(`protocols ${names.join(", ")}: not distinct, or without codes`);
}

function listenerOptions(options: P2pOptions, set: PeerSet, metrics: P2pMetrics) {
  return {
    host: options.listen?.host,
    port: options.listen?.port ?? 0,
    maxPending: options.maxPendingPeers ?? 50,
    async setUp(socket: Socket) {
      metrics.inboundConnects.add(1);
      const { remoteAddress } = socket;
      await set
        .setUp(socket, undefined)
        .catch((error: Error) =>
          options.log.debug({ remoteAddress, error: error.message }, "inbound connection failed"),
        );
    },
  };
}

interface DialParts {
  readonly options: P2pOptions;
  readonly timings: P2pTimings;
  readonly metrics: P2pMetrics;
  readonly set: PeerSet;
  readonly signal: AbortSignal;
}

function createDial({ options, timings, metrics, set, signal }: DialParts) {
  const { resolve = systemResolve } = options;
  return async (url: NodeUrl): Promise<Dialled> => {
    metrics.dialTries.add(1);
    const socket = await connectTo(url, { resolve, timeoutMs: timings.dialMs, signal });
    metrics.outboundConnects.add(1);
    const abort = () => void socket.destroy();
    signal.addEventListener("abort", abort, { once: true });
    try {
      const { peer, gone } = await set.setUp(socket, url.id);
      return { gone, leave: () => peer.disconnect("requested") };
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}

function createFailureLog(log: Log, metrics: P2pMetrics) {
  return (url: NodeUrl, failures: number, { message }: Error): undefined => {
    metrics.dialFailures.add(1);
    const fields = {
      peer: bareHex(url.id).slice(0, 16),
      host: url.host,
      port: url.tcpPort,
      failures,
      error: message,
    };
    if (failures === WORTH_A_WARNING) log.warn(fields, "static peer cannot be reached, still trying");
    else log.debug(fields, "dial failed");
  };
}

function selfInfo({ nodeKey, name, type }: P2pOptions, listener: Listener | undefined): SelfInfo {
  const ip = listener?.host ?? "::";
  const port = listener?.port ?? 0;
  const url: NodeUrl = {
    id: nodeKey.id,
    host: ip,
    tcpPort: port,
    udpPort: 0,
    tcpPorts: [port],
    type: "unknown",
  };
  return {
    id: bareHex(nodeKey.id),
    name,
    type,
    url,
    ip,
    ports: { discovery: 0, listener: port },
    listenAddr: hostAndPort(ip, port),
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
