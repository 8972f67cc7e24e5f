/** What the members of a Node share besides Services: an account without rights, and a limit to what a drain takes. */
import type { Draft, NodeResource } from "../api/resource.ts";
import { selectorOf, sharedMeta, sharedNames } from "./names.ts";

/** The pods' account, whose token is mounted nowhere. */
export function serviceAccount(node: NodeResource): Draft {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: sharedMeta(node, sharedNames(node.meta.name).serviceAccount),
    automountServiceAccountToken: false,
  };
}

/** One pod at a time may be taken away; undefined at one replica, whose machine could never be drained otherwise. */
export function disruptionBudget(node: NodeResource): Draft | undefined {
  if (node.spec.replicas === 1) return undefined;
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: sharedMeta(node, sharedNames(node.meta.name).disruptionBudget),
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(node.meta.name) } },
  };
}
