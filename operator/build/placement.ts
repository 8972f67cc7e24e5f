/** Scheduling fields of a Node's pods. */
import type { V1PodAffinityTerm, V1PodAntiAffinity, V1PodSpec, V1Toleration } from "@kubernetes/client-node";
import { labels } from "../api/names.ts";
import type { NodeResource } from "../api/resource.ts";

/** Fields of a pod's spec that the scheduler reads. */
type SchedulingFields = Pick<V1PodSpec, "nodeSelector" | "tolerations" | "priorityClassName" | "affinity">;

/** Builds the scheduling fields from `spec.scheduling`. */
export function schedulingFields({ spec }: NodeResource): SchedulingFields {
  const { nodeSelector, tolerations, spread, priorityClassName } = spec.scheduling;
  return {
    ...(Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {}),
    ...(tolerations.length > 0 ? { tolerations: tolerations.map(tolerationOf) } : {}),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(spread === "None" ? {} : { affinity: { podAntiAffinity: antiAffinity(spec) } }),
  };
}

/** Spreads nodes of one type and network over machines, so that one machine's failure stops one of them. */
function antiAffinity({ type, network, scheduling }: NodeResource["spec"]): V1PodAntiAffinity {
  const term: V1PodAffinityTerm = {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: {
      matchLabels: { [labels.name]: "knit", [labels.component]: type, [labels.network]: network.name },
    },
  };
  return scheduling.spread === "Required"
    ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] };
}

/** Omits fields that are undefined. */
function tolerationOf(given: NodeResource["spec"]["scheduling"]["tolerations"][number]): V1Toleration {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
