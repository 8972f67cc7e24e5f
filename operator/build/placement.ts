/** Scheduling fields of a Node's pods. */
import type {
  V1LabelSelector,
  V1PodAffinityTerm,
  V1PodAntiAffinity,
  V1PodSpec,
  V1Toleration,
  V1TopologySpreadConstraint,
} from "@kubernetes/client-node";
import { labels } from "../api/names.ts";
import type { NodeResource } from "../api/resource.ts";

/** Fields of a pod's spec that the scheduler reads. */
type SchedulingFields = Pick<
  V1PodSpec,
  "nodeSelector" | "tolerations" | "priorityClassName" | "affinity" | "topologySpreadConstraints"
>;

/** Builds the scheduling fields from `spec.scheduling`. */
export function schedulingFields({ spec }: NodeResource): SchedulingFields {
  const { nodeSelector, tolerations, spread, priorityClassName } = spec.scheduling;
  return {
    ...(Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {}),
    ...(tolerations.length > 0 ? { tolerations: tolerations.map(tolerationOf) } : {}),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(spread === "None"
      ? {}
      : { affinity: { podAntiAffinity: antiAffinity(spec) }, topologySpreadConstraints: [zoneSpread(spec)] }),
  };
}

/** Spreads nodes of one type and network over machines, so that one machine's failure stops one of them. */
function antiAffinity({ type, network, scheduling }: NodeResource["spec"]): V1PodAntiAffinity {
  const term: V1PodAffinityTerm = {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: siblings({ type, network }),
  };
  return scheduling.spread === "Required"
    ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] };
}

/** Spreads them over zones where that is possible, so that the failure of a zone stops as few of them as can be. */
function zoneSpread(spec: Siblings): V1TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: "topology.kubernetes.io/zone",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: siblings(spec),
  };
}

type Siblings = Pick<NodeResource["spec"], "type" | "network">;

function siblings({ type, network }: Siblings): V1LabelSelector {
  return { matchLabels: { [labels.name]: "knit", [labels.component]: type, [labels.network]: network.name } };
}

/** Omits fields that are undefined. */
function tolerationOf(given: NodeResource["spec"]["scheduling"]["tolerations"][number]): V1Toleration {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
