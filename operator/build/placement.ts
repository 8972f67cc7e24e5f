/** Where a Node's pods go, as the scheduler is told. */
import { labels } from "../api/names.ts";
import type { NodeResource, Part } from "../api/resource.ts";

/** The members of a pod's spec that say so. */
export function placementOf({ spec }: NodeResource): Part {
  const { nodeSelector, tolerations, spread, priorityClassName } = spec.scheduling;
  return {
    ...(Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {}),
    ...(tolerations.length > 0 ? { tolerations: tolerations.map(given) } : {}),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(spread === "None" ? {} : { affinity: { podAntiAffinity: apart(spec) } }),
  };
}

/** Nodes of one type and network are lost together when they are on one machine. */
function apart({ type, network, scheduling }: NodeResource["spec"]): Part {
  const term = {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: {
      matchLabels: { [labels.name]: "knit", [labels.component]: type, [labels.network]: network.name },
    },
  };
  return scheduling.spread === "Required"
    ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] };
}

/** Without members that were not given. */
function given(part: object): Part {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}
