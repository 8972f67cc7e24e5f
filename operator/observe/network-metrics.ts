/** Metrics of Networks, one row per metric, labelled with namespace and name of the Network. */
import type { Declaration } from "./declarations.ts";
import { type GaugeRow, gaugeText } from "./node-metrics.ts";

/** Figures of a Network; undefined ones are omitted. */
export interface NetworkFigures {
  readonly namespace: string;
  readonly network: string;
  readonly isReady: boolean;
  /** Undefined while no node reports. */
  readonly isProducing: boolean | undefined;
  /** Undefined while the council is unknown, and for one that never tolerates a missing validator. */
  readonly isFaultTolerant: boolean | undefined;
  readonly height: number | undefined;
}

const rows: readonly GaugeRow<NetworkFigures>[] = [
  {
    name: "knit_network_ready",
    help: "1 while the condition Ready of the Network is True.",
    value: ({ isReady }) => Number(isReady),
  },
  {
    name: "knit_network_producing",
    help: "1 while nodes report new blocks, 0 after a minute without one; absent while no node reports.",
    value: ({ isProducing }) => (isProducing === undefined ? undefined : Number(isProducing)),
  },
  {
    name: "knit_network_fault_tolerant",
    help: "1 while blocks go on when one more validator is missing, 0 when they do not; absent below four validators.",
    value: ({ isFaultTolerant }) => (isFaultTolerant === undefined ? undefined : Number(isFaultTolerant)),
  },
  {
    name: "knit_network_height",
    help: "Highest block number in the status of the Network.",
    value: ({ height }) => height,
  },
];

/** Declarations of the metrics, in order. */
export const networkDeclarations: readonly Declaration[] = rows.map(({ name, help }) => ({
  name,
  help,
  type: "gauge",
  labels: ["namespace", "network"],
}));

/** Formats the metrics from the current figures. */
export function networkMetricsText(figures: Iterable<NetworkFigures>): string {
  const all = [...figures];
  const labels = ({ namespace, network }: NetworkFigures): string =>
    `namespace="${namespace}",network="${network}"`;
  return rows.map((row) => gaugeText(row, all, labels)).join("");
}
