/** Figures of replicas for the metrics, from observations and statuses. */
import type { MaintenanceRun } from "../api/node-runs.ts";
import { stopReasons } from "../api/reasons.ts";
import type { NetworkResource, NodeResource } from "../api/resource.ts";
import { keyOf } from "../api/resource.ts";
import type { NetworkFigures } from "../observe/network-metrics.ts";
import type { BackupFigures, NodeFigures } from "../observe/node-metrics.ts";
import { isUnderWay } from "../plan/maintenance.ts";
import type { Observation } from "./observation.ts";

/** Returns the figures of all replicas. A silent node has neither height nor lag. */
export function figuresOf(
  nodes: readonly NodeResource[],
  observationOf: (key: string) => Observation | undefined,
): readonly NodeFigures[] {
  const reportOf = (namespace: string, name: string) => {
    const observation = observationOf(keyOf({ namespace, name }));
    return observation?.ok === true ? observation : undefined;
  };
  const highest = new Map<string, number>();
  for (const node of nodes) {
    const network = networkOf(node);
    for (const { name } of node.status.members ?? []) {
      const height = reportOf(node.meta.namespace, name)?.height ?? 0;
      highest.set(network, Math.max(height, highest.get(network) ?? 0));
    }
  }
  return nodes.flatMap((node) => {
    const { namespace } = node.meta;
    const top = highest.get(networkOf(node)) ?? 0;
    return (node.status.members ?? []).map(({ name, ready, reason, peersMissing, disk }) => {
      const answer = reportOf(namespace, name);
      return {
        namespace,
        node: name,
        network: node.spec.network.name,
        type: node.spec.type,
        ready: node.spec.suspend ? undefined : ready,
        height: answer?.height,
        lag: answer && top - answer.height,
        peers: answer?.peers.size,
        peersMissing,
        diskUsedBytes: disk?.usedBytes,
        diskCapacityBytes: disk?.capacityBytes,
        maintained: isMaintained(node, name),
        isMaintenanceFailed: lastRunOf(node, name)?.state === "Failed",
        isRolloutPaused: isPaused(node, name),
        hasKeyTrouble: reason !== undefined && Object.hasOwn(stopReasons, reason),
        backup: backupFiguresOf(node, name),
      };
    });
  });
}

/** Returns the figures of Networks, from their statuses. */
export function networkFiguresOf(networks: readonly NetworkResource[]): readonly NetworkFigures[] {
  return networks.map(({ meta: { namespace, name }, status }) => {
    const valueOf = (of: string) => status.conditions?.find(({ type }) => type === of)?.status;
    const producing = valueOf("Producing");
    return {
      namespace,
      network: name,
      isReady: valueOf("Ready") === "True",
      isFaultTolerant: toleranceOf(status),
      isProducing: producing === "True" || producing === "False" ? producing === "True" : undefined,
      height: status.height,
    };
  });
}

/** Returns the figures of a Node's backups for the replica that made the newest one; for the first before that, or without it. */
function backupFiguresOf({ meta, status }: NodeResource, member: string): BackupFigures | undefined {
  const { backup, conditions, members = [] } = status;
  const maker = members.find(({ name }) => name === backup?.member)?.name ?? meta.name;
  if (backup === undefined || member !== maker) return undefined;
  const judged = conditions?.find(({ type }) => type === "BackedUp");
  return {
    at: secondsOf(backup.at),
    verifiedAt: secondsOf(backup.verifiedAt),
    bytes: backup.bytes,
    isOverdue: judged && judged.status === "False",
  };
}

function secondsOf(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant) / 1_000;
}

function isMaintained({ status: { maintenance: run } }: NodeResource, member: string): boolean {
  return run !== undefined && run.member === member && isUnderWay(run);
}

/** Returns the last run of a member that has ended. */
function lastRunOf(
  { status: { maintenance, maintenanceHistory = [] } }: NodeResource,
  member: string,
): MaintenanceRun | undefined {
  const runs = maintenance === undefined ? maintenanceHistory : [maintenance, ...maintenanceHistory];
  return runs.find((run) => run.member === member && run.finishedAt !== undefined);
}

function isPaused({ status: { rollout } }: NodeResource, member: string): boolean {
  return rollout?.member === member && (rollout.state === "Paused" || rollout.state === "RolledBack");
}

function toleranceOf({ conditions }: NetworkResource["status"]): boolean | undefined {
  const reason = conditions?.find(({ type }) => type === "FaultTolerant")?.reason;
  if (reason === "Tolerant") return true;
  return reason === "AtLimit" || reason === "BelowQuorum" ? false : undefined;
}

function networkOf({ meta, spec }: NodeResource): string {
  return keyOf({ namespace: meta.namespace, name: spec.network.name });
}
