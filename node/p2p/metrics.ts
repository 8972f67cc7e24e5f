/**
 * Metrics of this room, under the Go node's names (networks/p2p/metrics.go and
 * networks/p2p/discover/metrics.go@v2.2.2).
 */
import type { Counter, Metrics } from "../observe/metrics.ts";
import type { DiscoveryStats } from "./discovery/discovery.ts";
import type { P2pError } from "./error.ts";
import type { PeerMemory } from "./peer-memory.ts";
import type { Peer } from "./protocol.ts";

/** Counters of peers and connections. */
export interface P2pMetrics {
  readonly dialTries: Counter;
  readonly dialFailures: Counter;
  readonly writeTimeouts: Counter;
  readonly inboundBytes: Counter;
  readonly outboundBytes: Counter;
  readonly inboundConnects: Counter;
  readonly outboundConnects: Counter;
  /** Counts a session that ended because the peer exceeded a limit. */
  count(error: P2pError): void;
}

/** Declares the metrics; the gauges read the list of peers. */
export function declareP2pMetrics(
  metrics: Metrics,
  peers: () => readonly Peer[],
  memory: Pick<PeerMemory, "used">,
): P2pMetrics {
  const count = (test: (peer: Peer) => boolean) => () => peers().filter(test).length;
  const connections = (test: (peer: Peer) => boolean) => () =>
    peers()
      .filter(test)
      .reduce((sum, peer) => sum + peer.info().networks.length, 0);
  const gauges: [name: string, help: string, read: () => number][] = [
    ["PeerCountGauge", "Peers.", count(() => true)],
    ["PeerInCountGauge", "Inbound peers.", count((peer) => peer.inbound)],
    ["PeerOutCountGauge", "Outbound peers.", count((peer) => !peer.inbound)],
    ["ConnectionCountGauge", "Connections to peers.", connections(() => true)],
    ["ConnectionInCountGauge", "Connections of inbound peers.", connections((peer) => peer.inbound)],
    ["ConnectionOutCountGauge", "Connections of outbound peers.", connections((peer) => !peer.inbound)],
    ["CNPeerCountGauge", "Consensus nodes among the peers.", count((peer) => peer.type === "cn")],
    ["PNPeerCountGauge", "Proxy nodes among the peers.", count((peer) => peer.type === "pn")],
    ["ENPeerCountGauge", "Endpoint nodes among the peers.", count((peer) => peer.type === "en")],
  ];
  for (const [name, help, read] of gauges) metrics.gauge({ name: `p2p/${name}`, help, read });
  metrics.gauge({
    name: "knit_p2p_waiting_bytes",
    help: "Bytes of waiting messages from and to peers.",
    read: () => memory.used,
  });
  const counter = (name: string, help: string): Counter => metrics.counter({ name: `p2p/${name}`, help });
  const both = (meter: string, name: string, help: string): Counter => {
    const recent = metrics.meter({ name: `p2p/${meter}`, help: `${help} A second, over the last minute.` });
    const all = metrics.counter({ name, help });
    return {
      add: (amount) => {
        recent.add(amount);
        all.add(amount);
      },
    };
  };
  return {
    dialTries: counter("DialTryCounter", "Dials started."),
    dialFailures: counter("DialFailCounter", "Failed dials."),
    writeTimeouts: counter("WriteMsgTimeOutCounter", "Peers disconnected because they read nothing in time."),
    inboundBytes: both("InboundTraffic", "knit_p2p_received_bytes_total", "Bytes received in messages."),
    outboundBytes: both("OutboundTraffic", "knit_p2p_sent_bytes_total", "Bytes sent in messages."),
    inboundConnects: both("InboundConnects", "knit_p2p_accepted_total", "Inbound connections."),
    outboundConnects: both("OutboundConnects", "knit_p2p_opened_total", "Outbound connections."),
    count: declareOffences(metrics),
  };
}

function declareOffences(metrics: Metrics): P2pMetrics["count"] {
  const rateExceeded = metrics.counter({
    name: "knit_p2p_rate_exceeded_total",
    help: "Peers disconnected because they sent too many base messages.",
  });
  const memoryExceeded = metrics.counter({
    name: "knit_p2p_memory_exceeded_total",
    help: "Peers disconnected because they held most of the memory for waiting messages.",
  });
  return ({ code }) => {
    if (code === "rate-exceeded") rateExceeded.add(1);
    if (code === "memory-exceeded") memoryExceeded.add(1);
  };
}

/** Declares the metrics of discovery. All are 0 while `read` returns undefined, when discovery is off. */
export function declareDiscoveryMetrics(
  metrics: Pick<Metrics, "gauge" | "readMeter">,
  read: () => DiscoveryStats | undefined,
): void {
  for (const [name, field, help] of DISCOVERY_GAUGES) {
    metrics.gauge({ name: `discover/${name}`, help, read: () => read()?.[field] ?? 0 });
  }
  for (const [name, field, help] of DISCOVERY_METERS) {
    metrics.readMeter({
      name: `discover/${name}`,
      help: `${help} a second, over the last minute.`,
      read: () => read()?.[field] ?? 0,
    });
  }
}

const DISCOVERY_GAUGES = [
  ["bucketEntries", "known", "Nodes in the discovery tables."],
  ["bucketReplacements", "waiting", "Nodes on the replacement lists."],
  ["udpPacket", "received", "Packets received since the start."],
  ["pendingPong", "awaitedPongs", "Pings that wait for a pong."],
  ["pendingNeighbors", "awaitedAnswers", "Find-node queries that wait for an answer."],
] as const;

const DISCOVERY_METERS = [
  ["ping", "pings", "Pings sent"],
  ["pong", "pongs", "Pings answered in time"],
  ["findnodes", "questions", "Find-node queries sent"],
  ["neighbors", "answers", "Neighbors packets received"],
  ["mismatchNetwork", "otherNetworks", "Pings of other networks"],
] as const;
