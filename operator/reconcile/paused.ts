/**
 * Paused Nodes, by an annotation: the operator observes them and writes nothing but their status. Other Nodes keep them
 * as peers, and wait for a rollout or maintenance in which they were paused.
 */
import { annotations } from "../api/names.ts";
import type { NodeResource, ObjectMeta } from "../api/resource.ts";
import type { Verdict } from "../plan/conditions.ts";

/** True for a Node that the operator must leave as it is. */
export function isPaused(meta: Pick<ObjectMeta, "annotations">): boolean {
  const value = meta.annotations[annotations.paused];
  return value !== undefined && value !== "false";
}

/** Returns the warning condition of a paused Node, present only while it is paused. */
export function pausedVerdicts({ meta }: Pick<NodeResource, "meta">): readonly Verdict[] {
  if (!isPaused(meta)) return [];
  return [{ type: "Paused", status: "True", reason: "ByAnnotation", message: pausedText({ meta }) }];
}

/** Returns the message about a paused Node, with the command that continues. */
export function pausedText({ meta }: Pick<NodeResource, "meta">): string {
  const command = `kubectl -n ${meta.namespace} annotate kn ${meta.name} ${annotations.paused}-`;
  return `the operator observes the Node and changes nothing; to continue: ${command}`;
}
