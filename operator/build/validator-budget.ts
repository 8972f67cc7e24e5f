/** A limit to what drains of machines take from a network's core nodes, so that blocks go on. */
import { API_VERSION, FIELD_MANAGER, labels } from "../api/names.ts";
import type { Draft, NetworkResource } from "../api/resource.ts";

/** The budget's name: with a dot, which no Node's name has. */
export function budgetName(network: string): string {
  return `${network}.validators`;
}

/** As many core nodes may be away as Istanbul BFT can miss; undefined when it can miss none, and drains must go on. */
export function validatorBudget({ meta }: NetworkResource, cores: number): Draft | undefined {
  const maxUnavailable = Math.floor((cores - 1) / 3);
  if (maxUnavailable < 1) return undefined;
  const owner = {
    apiVersion: API_VERSION,
    kind: "Network",
    name: meta.name,
    uid: meta.uid,
    controller: true,
  };
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: {
      name: budgetName(meta.name),
      namespace: meta.namespace,
      labels: { [labels.name]: "knit", [labels.managedBy]: FIELD_MANAGER, [labels.network]: meta.name },
      ownerReferences: [owner],
    },
    spec: {
      maxUnavailable,
      selector: {
        matchLabels: { [labels.name]: "knit", [labels.component]: "core", [labels.network]: meta.name },
      },
    },
  };
}
