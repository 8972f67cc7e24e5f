/** The operator's metrics. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What is counted. */
export interface OperatorMetrics {
  /** A request to the API server was answered. */
  request(method: string, status: number): void;
  /** A Node was reconciled. */
  reconciled(seconds: number, result: "done" | "failed"): void;
  render(): Promise<string>;
  readonly contentType: string;
}

/** What is read when the metrics are asked for. */
export interface MetricSources {
  readonly queued: () => number;
  readonly nodes: () => number;
  readonly readyNodes: () => number;
  readonly leading: () => boolean;
}

/** Creates them. */
export function createMetrics(sources: MetricSources): OperatorMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "knit_operator_api_requests_total",
    help: "Requests to the API server that were answered.",
    labelNames: ["method", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "knit_operator_reconcile_seconds",
    help: "How long Nodes took to reconcile.",
    labelNames: ["result"],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers,
  });
  const read = (name: string, help: string, value: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(value()) });
  };
  read("knit_operator_queued_nodes", "Nodes that wait to be reconciled or are.", sources.queued);
  read("knit_operator_nodes", "Nodes.", sources.nodes);
  read("knit_operator_ready_nodes", "Nodes whose condition Ready holds.", sources.readyNodes);
  read("knit_operator_leading", "1 while this process holds the lease.", () => (sources.leading() ? 1 : 0));
  return {
    request: (method, status) => requests.inc({ method, status: String(status) }),
    reconciled: (duration, result) => seconds.observe({ result }, duration),
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
