/** The finalizer of Nodes: added before any object is created, removed at the end of the deletion. */
import { FINALIZER } from "../api/names.ts";
import type { ObjectMeta } from "../api/resource.ts";
import type { KubeClient } from "../kube/client.ts";
import { kinds } from "../kube/resources.ts";
import type { Context } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";

/** Finalizer by which the API server marks a deletion that orphans dependents. */
export const ORPHAN = "orphan";

/** True for a Node with the operator's finalizer. */
export function hasFinalizer({ finalizers }: Pick<ObjectMeta, "finalizers">): boolean {
  return finalizers.includes(FINALIZER);
}

/**
 * Adds the finalizer, except in the operator's own namespace, where a deletion may remove the operator first.
 */
export async function finalizerStep({ node, deps, key }: Context): Promise<Outcome> {
  const { meta } = deps.cache.node(key) ?? node;
  if (hasFinalizer(meta) || meta.namespace === deps.settings.operatorNamespace) return goOn;
  deps.cache.recordWrite(await writeFinalizers(deps.client, meta, [...meta.finalizers, FINALIZER]));
  return goOn;
}

/** Removes the finalizer. Throws `KubeError`, `conflict` when the Node has changed. */
export async function removeFinalizer(client: Pick<KubeClient, "merge">, meta: ObjectMeta): Promise<void> {
  const others = meta.finalizers.filter((each) => each !== FINALIZER);
  await writeFinalizers(client, meta, others);
}

/** Replaces the list of finalizers with the version as precondition, to preserve those of others. */
function writeFinalizers(
  client: Pick<KubeClient, "merge">,
  { name, namespace, resourceVersion }: ObjectMeta,
  finalizers: readonly string[],
): Promise<unknown> {
  return client.merge(kinds.node, { name, namespace }, { metadata: { resourceVersion, finalizers } });
}
