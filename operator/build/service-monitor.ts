/** What a Prometheus operator reads to find a Node's metrics. */
import { labels } from "../api/names.ts";
import type { Draft, NodeResource } from "../api/resource.ts";
import { labelsOf, selectorOf, sharedMeta, sharedNames } from "./names.ts";

/** The ServiceMonitor, over the Service with the names of the pods; undefined when none is wanted. */
export function serviceMonitor(node: NodeResource): Draft | undefined {
  const { serviceMonitor: wanted, intervalSeconds, labels: extra } = node.spec.monitoring;
  if (!wanted) return undefined;
  const { serviceMonitor: name, membersService } = sharedNames(node.meta.name);
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { ...sharedMeta(node, name), labels: { ...extra, ...labelsOf(node) } },
    spec: {
      selector: { matchLabels: { ...selectorOf(node.meta.name), [labels.service]: membersService } },
      endpoints: [{ port: "metrics", interval: `${intervalSeconds}s` }],
    },
  };
}
