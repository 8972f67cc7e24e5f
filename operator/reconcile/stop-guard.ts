/** Guards the chain: a validator that the council needs is not suspended or deleted without permission. */
import { keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { membersOf, objectNames } from "../build/names.ts";
import { type StopTrouble, stopTrouble } from "../plan/council.ts";
import { councilsOf } from "./council.ts";
import type { ReconcileDeps } from "./deps.ts";

/** Returns the trouble of stopping a Node's pod for good; undefined when there is none, or no pod that could stop. */
export function stopTroubleOf(
  node: NodeResource,
  network: NetworkResource | undefined,
  deps: ReconcileDeps,
): StopTrouble | undefined {
  const [member] = membersOf(node);
  if (node.spec.type !== "core" || member === undefined || !isScaledUp(member.name, node, deps))
    return undefined;
  const nodes = deps.cache
    .nodes(node.meta.namespace)
    .filter(({ spec }) => spec.network.name === node.spec.network.name);
  const key = keyOf({ ...node.meta, name: member.name });
  const address = node.status.members?.find(({ name }) => name === member.name)?.address;
  return stopTrouble({ key, address }, councilsOf({ network, nodes, deps }));
}

/** True while the StatefulSet of a member keeps its pod. */
function isScaledUp(member: string, { meta }: NodeResource, deps: ReconcileDeps): boolean {
  const key = keyOf({ ...meta, name: objectNames(member).statefulSet });
  const seen = deps.cache.find("statefulSet", key);
  if (seen?.meta.deleted === true) return false;
  const set = deps.applier.latest("StatefulSet", key, seen) as { spec?: { replicas?: unknown } } | undefined;
  return Number(set?.spec?.replicas ?? 0) > 0;
}
