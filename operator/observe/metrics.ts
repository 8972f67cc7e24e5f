/** The operator's metrics: those of client-go controllers under their usual names, and those of the nodes. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type Declaration, declaredIn } from "./declarations.ts";
import { type NetworkFigures, networkDeclarations, networkMetricsText } from "./network-metrics.ts";
import { type NodeFigures, nodeDeclarations, nodeMetricsText } from "./node-metrics.ts";
import { declareQueueMetrics, type QueueMetrics } from "./queue-metrics.ts";

/** Recorder of the operator's metrics. */
export interface OperatorMetrics {
  /** Records a response of the API server. */
  request(method: string, status: number): void;
  /** Returns the recorder of a queue and its controller. */
  queue(name: string): QueueMetrics;
  render(): Promise<string>;
  declarations(): readonly Declaration[];
  readonly contentType: string;
}

/** Sources that are read on each scrape. */
export interface MetricSources {
  /** Host and port of the API server. */
  readonly host: () => string;
  /** Waiting keys by queue. */
  readonly depths: () => Readonly<Record<string, number>>;
  readonly nodes: () => number;
  readonly readyNodes: () => number;
  readonly leading: () => boolean;
  /** Fields of the definitions that the cluster does not serve; undefined when unknown. */
  readonly missingFields: () => number | undefined;
  /** Number of watched namespaces that cannot be read. */
  readonly missingNamespaces: () => number;
  /** Figures of every replica of every Node. */
  readonly figures: () => Iterable<NodeFigures>;
  /** Figures of every Network. */
  readonly networks: () => Iterable<NetworkFigures>;
}

/** Name of the Lease. */
const LEASE = "knit-operator";

/** Creates the metrics. */
export function createMetrics(sources: MetricSources): OperatorMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "rest_client_requests_total",
    help: "Requests that the API server answered, by status code and method.",
    labelNames: ["code", "method", "host"],
    registers,
  });
  const read = (name: string, help: string, value: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(value()) });
  };
  const leading: Gauge = new Gauge({
    name: "leader_election_master_status",
    help: "1 while this process holds the lease.",
    labelNames: ["name"],
    registers,
    collect: () => leading.set({ name: LEASE }, sources.leading() ? 1 : 0),
  });
  const missing: Gauge = new Gauge({
    name: "knit_operator_definition_missing_fields",
    help: "Fields of Nodes and Networks that the definitions in the cluster lack; above 0 they are older than the operator.",
    registers,
    collect() {
      const count = sources.missingFields();
      if (count === undefined) missing.reset();
      else missing.set(count);
    },
  });
  const queue = declareQueueMetrics(registers, sources.depths);
  read("knit_operator_nodes", "Nodes.", sources.nodes);
  read(
    "knit_operator_missing_namespaces",
    "Namespaces of watchNamespaces that do not exist, or in which the operator has no rights.",
    sources.missingNamespaces,
  );
  read("knit_operator_ready_nodes", "Nodes whose condition Ready is True.", sources.readyNodes);
  return {
    request: (method, status) => requests.inc({ method, code: String(status), host: sources.host() }),
    queue,
    render: async () =>
      `${await registry.metrics()}${nodeMetricsText(sources.figures())}${networkMetricsText(sources.networks())}`,
    declarations: () => [...declaredIn(registry), ...nodeDeclarations, ...networkDeclarations],
    contentType: registry.contentType,
  };
}
