/** The room's metrics, under the Go node's names where it has them. */
import type { Counter, Metrics } from "../observe/metrics.ts";

/** What is counted as it happens. */
export interface ProtocolMetrics {
  readonly received: Counter;
  readonly sent: Counter;
  readonly servedItems: Counter;
  readonly servedBytes: Counter;
  readonly dropped: Counter;
}

/** What the gauges read. */
export interface ProtocolGauges {
  readonly peers: () => number;
  /** Blocks between ours and the highest one that a peer claims. */
  readonly behind: () => number;
}

/** Declares them. */
export function declareProtocolMetrics(metrics: Metrics, { peers, behind }: ProtocolGauges): ProtocolMetrics {
  metrics.gauge({ name: "klay/chain/peers", help: "Peers on our chain.", read: peers });
  metrics.gauge({
    name: "klay/chain/behind",
    help: "Blocks that our chain is behind the highest head of a peer.",
    read: behind,
  });
  return {
    received: metrics.counter({ name: "klay/tx/recv/counter", help: "Transactions received from peers." }),
    sent: metrics.counter({ name: "klay/tx/send/counter", help: "Transactions sent to peers." }),
    servedItems: metrics.counter({ name: "klay/served/items", help: "Headers, bodies and receipts served." }),
    servedBytes: metrics.counter({ name: "klay/served/bytes", help: "Bytes of what was served." }),
    dropped: metrics.counter({ name: "klay/chain/dropped", help: "Peers left because of what they did." }),
  };
}
