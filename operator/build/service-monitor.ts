/** The ServiceMonitor by which a Prometheus Operator finds the metrics of a Node. */
import { labels } from "../api/names.ts";
import type { Draft, NodeResource } from "../api/resource.ts";
import { labelsOf, selectorOf, sharedMeta, sharedNames } from "./names.ts";

/** A ServiceMonitor of the Prometheus Operator (`monitoring.coreos.com/v1`), as far as it is written here. */
export interface ServiceMonitor extends Draft {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly endpoints: readonly {
      readonly port: string;
      readonly interval: string;
      readonly relabelings: readonly { readonly sourceLabels: string[]; readonly targetLabel: string }[];
    }[];
  };
}

/** Labels of every series: the replica as in the operator's metrics, its network and its type. */
const relabelings = [
  [labels.member, "node"],
  [labels.network, "network"],
  [labels.component, "type"],
].map(([label = "", targetLabel = ""]) => ({
  sourceLabels: [`__meta_kubernetes_pod_label_${label.replaceAll(/[^a-zA-Z0-9_]/g, "_")}`],
  targetLabel,
}));

/** Builds a ServiceMonitor that selects the headless Service; undefined when `monitoring.serviceMonitor` is off. */
export function serviceMonitor(node: NodeResource): ServiceMonitor | undefined {
  const { serviceMonitor: isEnabled, intervalSeconds, labels: extra } = node.spec.monitoring;
  if (!isEnabled) return undefined;
  const { serviceMonitor: name, membersService } = sharedNames(node.meta.name);
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { ...sharedMeta(node, name), labels: { ...extra, ...labelsOf(node) } },
    spec: {
      selector: { matchLabels: { ...selectorOf(node.meta.name), [labels.service]: membersService } },
      endpoints: ["metrics", "gateway-health"].map((port) => ({
        port,
        interval: `${intervalSeconds}s`,
        relabelings,
      })),
    },
  };
}
