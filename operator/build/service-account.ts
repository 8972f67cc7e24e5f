/** The ServiceAccount of a Node's pods. */
import type { V1ServiceAccount } from "@kubernetes/client-node";
import type { DraftOf, NodeResource } from "../api/resource.ts";
import { sharedMeta, sharedNames } from "./names.ts";

/** Builds an account without rights, whose token is never mounted. */
export function serviceAccount(node: NodeResource): DraftOf<V1ServiceAccount> {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: sharedMeta(node, sharedNames(node.meta.name).serviceAccount),
    automountServiceAccountToken: false,
  };
}
