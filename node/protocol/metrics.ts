/** Metrics of this room, under the Go node's names where it has them. */
import type { Counter, Metrics } from "../observe/metrics.ts";
import { declareSyncMetrics, type SyncMetrics } from "./sync-metrics.ts";

/** Counters of the protocol. */
export interface ProtocolMetrics extends SyncMetrics {
  readonly received: Counter;
  readonly sent: Counter;
  readonly servedItems: Counter;
  readonly servedBytes: Counter;
  readonly dropped: Counter;
}

/** Values of the gauges. */
export interface ProtocolGauges {
  readonly peers: () => number;
  /** Number of blocks between our head and the highest claim of a peer. */
  readonly behind: () => number;
}

/** Declares the metrics. */
export function declareProtocolMetrics(metrics: Metrics, { peers, behind }: ProtocolGauges): ProtocolMetrics {
  metrics.gauge({ name: "knit_chain_peers", help: "Peers on the local chain.", read: peers });
  metrics.gauge({
    name: "knit_chain_behind_blocks",
    help: "Blocks between the local head and the highest head claimed by a peer.",
    read: behind,
  });
  const counter = (name: string, help: string): Counter => metrics.counter({ name, help });
  return {
    ...declareSyncMetrics(metrics),
    received: counter("klay/tx/recv/counter", "Transactions received from peers."),
    sent: counter("klay/tx/send/counter", "Transactions sent to peers."),
    servedItems: counter("knit_served_items_total", "Headers, bodies and receipts served to peers."),
    servedBytes: counter("knit_served_bytes_total", "Bytes of headers, bodies and receipts served to peers."),
    dropped: counter("knit_chain_peers_dropped_total", "Peers disconnected for protocol errors."),
  };
}
