/**
 * Metrics of the nodes' last reported figures, one row per metric, labelled with namespace and name of the
 * replica.
 */
import type { Declaration } from "./declarations.ts";

/** Figures of a replica; undefined ones are omitted. */
export interface NodeFigures {
  readonly namespace: string;
  readonly node: string;
  readonly network: string;
  /** Type of the node: core, proxy or endpoint. */
  readonly type: string;
  /** Undefined for a suspended Node. */
  readonly ready: boolean | undefined;
  readonly height: number | undefined;
  /** Blocks behind the highest node of the network. */
  readonly lag: number | undefined;
  readonly peers: number | undefined;
  readonly peersMissing: number | undefined;
  readonly diskUsedBytes: number | undefined;
  readonly diskCapacityBytes: number | undefined;
  readonly maintained: boolean;
  /** True when the last maintenance of the replica has failed. */
  readonly isMaintenanceFailed: boolean;
  /** True while a rollout at the replica has stopped or was rolled back. */
  readonly isRolloutPaused: boolean;
  /** True while the replica is stopped because of its key or its chain. */
  readonly hasKeyTrouble: boolean;
  /** The newest backup, of the replica that made it; undefined ones are omitted. */
  readonly backup?: BackupFigures | undefined;
}

/** Figures of the newest backup of a Node. Times are in seconds since the epoch. */
export interface BackupFigures {
  readonly at: number | undefined;
  readonly verifiedAt: number | undefined;
  readonly bytes: number | undefined;
  /** Undefined without a schedule. */
  readonly isOverdue: boolean | undefined;
}

const rows: readonly GaugeRow<NodeFigures>[] = [
  {
    name: "knit_node_ready",
    help: "1 while the pod is ready and the node responds; absent for a suspended Node.",
    value: ({ ready }) => (ready === undefined ? undefined : Number(ready)),
  },
  { name: "knit_node_height", help: "Number of the newest block.", value: ({ height }) => height },
  {
    name: "knit_node_lag_blocks",
    help: "Blocks that the node is behind the newest block of its network.",
    value: ({ lag }) => lag,
  },
  { name: "knit_node_peers", help: "Connected peers.", value: ({ peers }) => peers },
  {
    name: "knit_node_peers_missing",
    help: "Required peers that are not connected.",
    value: ({ peersMissing }) => peersMissing,
  },
  {
    name: "knit_node_disk_used_bytes",
    help: "Used bytes of the volume with the chain.",
    value: ({ diskUsedBytes }) => diskUsedBytes,
  },
  {
    name: "knit_node_disk_capacity_bytes",
    help: "Capacity of the volume with the chain, in bytes.",
    value: ({ diskCapacityBytes }) => diskCapacityBytes,
  },
  {
    name: "knit_node_maintenance",
    help: "1 while maintenance of the node is in progress.",
    value: ({ maintained }) => Number(maintained),
  },
  {
    name: "knit_node_maintenance_failed",
    help: "1 when the last maintenance of the node has failed.",
    value: ({ isMaintenanceFailed }) => Number(isMaintenanceFailed),
  },
  {
    name: "knit_node_rollout_paused",
    help: "1 while a rollout has stopped at the node, or was rolled back.",
    value: ({ isRolloutPaused }) => Number(isRolloutPaused),
  },
  {
    name: "knit_node_key_trouble",
    help: "1 while the node is stopped because its key or its chain is lost, changed or in use elsewhere.",
    value: ({ hasKeyTrouble }) => Number(hasKeyTrouble),
  },
  {
    name: "knit_node_backup_timestamp_seconds",
    help: "Time of the newest backup, in seconds since the epoch.",
    value: ({ backup }) => backup?.at,
  },
  {
    name: "knit_node_backup_verified_timestamp_seconds",
    help: "Time of the newest backup that was read back from its archive, in seconds since the epoch.",
    value: ({ backup }) => backup?.verifiedAt,
  },
  {
    name: "knit_node_backup_bytes",
    help: "Size of the newest backup.",
    value: ({ backup }) => backup?.bytes,
  },
  {
    name: "knit_node_backup_overdue",
    help: "1 while two scheduled times have passed without a backup.",
    value: ({ backup }) => (backup?.isOverdue === undefined ? undefined : Number(backup.isOverdue)),
  },
];

/** Maximum number of replicas. */
const MAX_NODES = 5_000;

/** Declarations of the metrics, in order. */
export const nodeDeclarations: readonly Declaration[] = rows.map(({ name, help }) => ({
  name,
  help,
  type: "gauge",
  labels: ["namespace", "node", "network", "type"],
}));

/**
 * Formats the metrics from the current figures. prom-client would keep eight objects for each of a thousand
 * nodes and take a fifth of a second to format them.
 */
export function nodeMetricsText(figures: Iterable<NodeFigures>): string {
  const all = [...figures].slice(0, MAX_NODES);
  const labels = ({ namespace, node, network, type }: NodeFigures): string =>
    `namespace="${namespace}",node="${node}",network="${network}",type="${type}"`;
  return rows.map((row) => gaugeText(row, all, labels)).join("");
}

/** A gauge and its value in figures; undefined values are omitted. */
export interface GaugeRow<T> {
  readonly name: string;
  readonly help: string;
  readonly value: (figures: T) => number | undefined;
}

/** Formats one gauge. Names of Kubernetes objects need no escaping. */
export function gaugeText<T>(
  { name, help, value }: GaugeRow<T>,
  figures: readonly T[],
  labels: (figures: T) => string,
): string {
  const lines = figures.flatMap((each) => {
    const found = value(each);
    return found === undefined ? [] : [`${name}{${labels(each)}} ${found}`];
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...lines, ""].join("\n");
}
