/** `kubectl knit status`: Networks, their Nodes and replicas as a tree, with the reason of everything that is not at rest. */
import type { Condition as AnyCondition } from "../api/condition.ts";
import type { ConditionType, NetworkConditionType } from "../api/names.ts";
import type { MemberStatus } from "../api/node-status.ts";
import { keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";

/** Status of each condition of a resource without trouble. Others are printed with their reason. */
const AT_REST: Readonly<Record<string, AnyCondition["status"]>> = {
  Ready: "True",
  Available: "True",
  Progressing: "False",
  Degraded: "False",
  PeersReady: "True",
  Synced: "True",
  MaintenanceInProgress: "False",
  StorageHealthy: "True",
  BackedUp: "True",
  ForksReady: "True",
  Contested: "False",
  Paused: "False",
  PrivilegedApi: "False",
  GenesisReady: "True",
  Producing: "True",
  FaultTolerant: "True",
} satisfies Readonly<Record<ConditionType | NetworkConditionType, AnyCondition["status"]>>;

/** Formats the tree. */
export function statusTree(networks: readonly NetworkResource[], nodes: readonly NodeResource[]): string {
  const keys = new Set([...networks.map(({ meta }) => keyOf(meta)), ...nodes.map(networkKey)]);
  const trees = [...keys].sort().map((key) => {
    const network = networks.find(({ meta }) => keyOf(meta) === key);
    const own = nodes.filter((node) => networkKey(node) === key);
    return [...networkLines(key, network), ...branches(own.map(nodeLines))].join("\n");
  });
  return trees.length === 0 ? "no Networks and no Nodes\n" : `${trees.join("\n\n")}\n`;
}

function networkKey({ meta, spec }: NodeResource): string {
  return keyOf({ namespace: meta.namespace, name: spec.network.name });
}

function networkLines(key: string, network: NetworkResource | undefined): readonly string[] {
  if (network === undefined) return [`${key}  (no Network resource)`];
  const { height, nodes = 0, readyNodes = 0, conditions = [] } = network.status;
  const facts = [
    `${readyNodes} of ${nodes} replicas ready`,
    ...(height === undefined ? [] : [`block ${height}`]),
  ];
  return [`${key}  ${facts.join(", ")}`, ...troubles(conditions).map((line) => `  ! ${line}`)];
}

/** Draws the blocks of lines below a root. */
function branches(blocks: readonly (readonly string[])[]): readonly string[] {
  return blocks.flatMap((lines, place) => {
    const isLast = place === blocks.length - 1;
    return lines.map((line, row) => {
      if (row === 0) return `${isLast ? "└─" : "├─"} ${line}`;
      return `${isLast ? "  " : "│ "} ${line}`;
    });
  });
}

function nodeLines({ meta, spec, status }: NodeResource): readonly string[] {
  const { phase = "Pending", members = [], conditions = [], outdated = [], maintenanceQueue = [] } = status;
  return [
    `${meta.name}  ${spec.type}, ${meta.deleted ? "Deleting" : phase}`,
    ...branches(members.map((member) => [memberText(member)])),
    ...troubles(conditions).map((line) => `! ${line}`),
    ...outdated.map(({ member, reason, message }) => `~ ${member} is outdated: ${reason}: ${message}`),
    ...maintenanceQueue.map(({ operation, member }) => `~ ${operation} of ${member} waits`),
  ];
}

function memberText({ name, ready, reason, height, peers, validator, version, disk }: MemberStatus): string {
  const { usedBytes, capacityBytes } = disk ?? {};
  const isKnown = usedBytes !== undefined && capacityBytes !== undefined && capacityBytes > 0;
  const facts = [
    ready ? "ready" : `not ready${reason === undefined ? "" : ` (${reason})`}`,
    height === undefined ? undefined : `block ${height}`,
    peers === undefined ? undefined : `${peers} ${peers === 1 ? "peer" : "peers"}`,
    validator === true ? "validator" : undefined,
    isKnown ? `disk ${Math.round((100 * usedBytes) / capacityBytes)} %` : undefined,
    version,
  ];
  return `${name}  ${facts.filter((fact) => fact !== undefined).join(", ")}`;
}

/** Lists the conditions that are not at rest. Available says nothing new beside a Ready that is False. */
function troubles(conditions: readonly AnyCondition[]): readonly string[] {
  const isUnready = conditions.some(({ type, status }) => type === "Ready" && status === "False");
  return conditions
    .filter(({ type, status }) => AT_REST[type] !== status && !(type === "Available" && isUnready))
    .map(({ type, reason, message }) => `${type}: ${reason}: ${message}`);
}
