/** The objects that a Node is made of, each as it should be. */
import { createHash } from "node:crypto";
import { type Draft, keyOf } from "../api/resource.ts";
import { volumeClaim } from "../build/claim.ts";
import { networkPolicy } from "../build/network-policy.ts";
import { peerService, rpcService } from "../build/services.ts";
import { settingsMap, settingsText } from "../build/settings.ts";
import { statefulSet } from "../build/stateful-set.ts";
import { isKubeError } from "../kube/error.ts";
import type { Context } from "./context.ts";
import { failWith, goOn, type Outcome } from "./outcome.ts";
import type { FollowedKind } from "./surroundings.ts";

/** Applies what is not as it should be. */
export async function objectsStep(context: Context): Promise<Outcome> {
  const { around, node } = context;
  for (const [kind, draft] of draftsOf(context)) {
    const key = keyOf(draft.metadata);
    try {
      const written = await around.applier.apply(draft, around.find(kind, key));
      if (written) around.log.info({ node: node.meta.name, kind: draft.kind, object: key }, "applied");
    } catch (error) {
      if (isKubeError(error, "not-ours") || isKubeError(error, "invalid"))
        return failWith("ObjectRefused", error.message);
      throw error;
    }
  }
  return goOn;
}

function draftsOf({ node, around: { settings }, facts }: Context): [FollowedKind, Draft][] {
  const rpc = rpcService(node);
  const text = settingsText(node);
  const digest = createHash("sha256")
    .update(JSON.stringify([text, facts.identity?.id, node.spec.network]))
    .digest("hex")
    .slice(0, 16);
  return [
    ["configMap", settingsMap(node)],
    ["claim", volumeClaim(node)],
    ["service", peerService(node)],
    ...(rpc === undefined ? [] : [["service", rpc] as [FollowedKind, Draft]]),
    ["networkPolicy", networkPolicy(node, settings.operatorNamespace)],
    ["statefulSet", statefulSet(node, { ...settings, digest })],
  ];
}
