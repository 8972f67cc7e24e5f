/** PodDisruptionBudgets: limits to the pods that node drains may evict from a Node and from a network's validators. */
import type { V1PodDisruptionBudget } from "@kubernetes/client-node";
import { API_VERSION, FIELD_MANAGER, labels } from "../api/names.ts";
import type { DraftOf, NetworkResource, NodeResource } from "../api/resource.ts";
import { selectorOf, sharedMeta, sharedNames } from "./names.ts";

/** Builds the budget of a Node, one pod at a time; undefined for one replica, whose machine could not be drained. */
export function disruptionBudget(node: NodeResource): DraftOf<V1PodDisruptionBudget> | undefined {
  if (node.spec.replicas === 1) return undefined;
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: sharedMeta(node, sharedNames(node.meta.name).disruptionBudget),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: "AlwaysAllow",
      selector: { matchLabels: selectorOf(node.meta.name) },
    },
  };
}

/** Name of the budget of a network's validators. It contains a dot, which the name of a Node never does. */
export function validatorBudgetName(network: string): string {
  return `${network}.validators`;
}

/** Validators of a network in a namespace, for their budget. */
export interface BudgetedValidators {
  /** Nodes of the validators; without a UID those that were deleted and whose pods were left. */
  readonly nodes: readonly { readonly name: string; readonly uid: string | undefined }[];
  /** Number of their pods that a drain must leave healthy. */
  readonly minAvailable: number;
}

/**
 * Builds the budget of a network's validators in its namespace. It selects their Nodes by name, because core nodes
 * beside the council do not count. Its owners are these Nodes and not the Network: while that is deleted, drains are still limited.
 */
export function validatorBudget(
  { meta }: NetworkResource,
  { nodes, minAvailable }: BudgetedValidators,
): DraftOf<V1PodDisruptionBudget> {
  const sorted = nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const owners = sorted.flatMap(({ name, uid }) =>
    uid === undefined ? [] : [{ apiVersion: API_VERSION, kind: "Node", name, uid }],
  );
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: {
      name: validatorBudgetName(meta.name),
      namespace: meta.namespace,
      labels: { [labels.name]: "knit", [labels.managedBy]: FIELD_MANAGER, [labels.network]: meta.name },
      ownerReferences: owners,
    },
    spec: {
      minAvailable,
      unhealthyPodEvictionPolicy: "AlwaysAllow",
      selector: {
        matchLabels: { [labels.name]: "knit", [labels.network]: meta.name },
        matchExpressions: [{ key: labels.node, operator: "In", values: sorted.map(({ name }) => name) }],
      },
    },
  };
}
